// SPDX-License-Identifier: MIT
// Triangular substitution with fused multiply-adds in the order of docs/numerics.md 1.2: the diagonal blocks of TRSM, bit for bit.
#pragma once
#include "numerics/lu.hpp"

namespace ab::numerics {

/// X = T^-1 X, row-major: t = fma(-T_ik, x_k, t) for the solved k in the order they were solved (lower: ascending, upper: descending),
/// then x_i = t / T_ii, complex by Smith's rule. No test for singularity; NaN results are 0x7FF8000000000000.
/// Backward error: componentwise size * u / (1 - size * u), complex a small multiple of that.
template <Scalar T>
void substitute_fused(const TriangularMatrix<T>& t, const RightSides<T>& x);

}  // namespace ab::numerics
