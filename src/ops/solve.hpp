// SPDX-License-Identifier: MIT
// A X = B by mixed-precision iterative refinement: factors in single precision, residuals as products of the class, FP64 factors where
// that does not converge.
#pragma once
#include "ops/series.hpp"

namespace ab::ops {

struct LinearSystem {  // row-major, n x n and n x sides; X overwrites B
  device::Slice a, b;
  Index n, sides;
  std::uint64_t scaled_contents;  // a number for the contents of A's scaled copy (VectorView), used for nothing else
};

/// Refined: for each side max|B - A X| <= sqrt(n) u |A|_inf max|X| in the equilibrated system, u = 2^-53, which bounds the normwise
/// backward error of the system as given. Otherwise FP64 factors with partial pivoting of the equilibrated system; the report then says
/// NotConverged (or Nonfinite), scheme Ieee on the host and no bound. Throws Error with B untouched; Singular when an FP64 pivot is zero.
SeriesOutcome solve_linear(Context& context, const LinearSystem& system, Precision precision);

}  // namespace ab::ops
