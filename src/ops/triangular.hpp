// SPDX-License-Identifier: MIT
// Triangular systems with many right sides: diagonal blocks in FP64 on the host, everything else products of the class.
#pragma once
#include "ops/series.hpp"

namespace ab::ops {

/// T X = alpha B. Entry (i, k) of T is word i * row_stride + k * column_stride behind `t`; of blocks on the diagonal the whole is read,
/// of the rest the named triangle, and a diagonal that is Unit has no influence. `x` has the unknowns as rows and the right sides as
/// columns: B before, X afterwards. Complex matrices have two words an entry, the imaginary part second.
struct TriangularSystem {
  device::Slice t;
  Index row_stride, column_stride;
  std::uint64_t contents;  // of T's memory (VectorView)
  Triangle triangle;
  Diagonal diagonal;
  double alpha;
  ResultView x;
  bool conjugate = false;  // T counts conjugated
};

/// Unknowns are halved, at multiples of this, until a block is no larger; never changed, since it decides the bits (chosen).
inline constexpr Index triangular_block = 64;

/// Solves on a copy of X and writes X last (docs/numerics.md 1.2). Real matrices.
/// Backward error: that of substitution in FP64 within blocks, that of the class for the rest; no test for singularity.
/// alpha = 0: X = 0, and T is not read. Throws Error with X untouched.
SeriesOutcome solve_triangular(Context& context, const TriangularSystem& system, Precision precision);

/// The same in place, real or complex: X is packed by unknowns, element i * sides + j, alpha is ignored. X may be anything when the
/// outcome is a decline or an Error is thrown.
template <Scalar T>
SeriesOutcome solve_in_place(Context& context, const TriangularSystem& system, const Choices& choices);

/// The view of such an X.
template <Scalar T>
ResultView packed_unknowns(device::Slice at, Index unknowns, Index sides);

}  // namespace ab::ops
