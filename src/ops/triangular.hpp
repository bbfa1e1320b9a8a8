// SPDX-License-Identifier: MIT
// Triangular systems with many right sides: diagonal blocks in FP64 on the host, everything else products of the class.
#pragma once
#include "numerics/lu.hpp"
#include "ops/series.hpp"

namespace ab::ops {

/// T X = alpha B. Entry (i, k) of T is word i * row_stride + k * column_stride behind `t`; only the named triangle is read, and not its
/// diagonal when that is Unit. `x` has the unknowns as rows and the right sides as columns: B before, X afterwards.
struct TriangularSystem {
  device::Slice t;
  Index row_stride, column_stride;
  std::uint64_t contents;  // of T's memory (VectorView)
  Triangle triangle;
  numerics::Diagonal diagonal;
  double alpha;
  ResultView x;
};

/// Unknowns are halved, at multiples of this, until a block is no larger; never changed, since it decides the bits (chosen).
inline constexpr Index triangular_block = 64;

/// Backward error: that of substitution in FP64 within blocks, that of the class for the rest; no test for singularity.
/// alpha = 0: X = 0, and T is not read. Throws Error with X untouched.
SeriesOutcome solve_triangular(Context& context, const TriangularSystem& system, Precision precision);

}  // namespace ab::ops
