// SPDX-License-Identifier: MIT
// The last resort of a call that no host BLAS and no device can serve, for want of memory: it needs none.
#pragma once
#include "core/problem.hpp"

namespace ab::blas {

/// Completes the problem entry by entry, in place: inner products by the IEEE path of docs/numerics.md 4 and the epilogue of 3, TRSM by
/// substitution of the whole order. TRMM leaves out the zeros of the triangular factor, which it would otherwise multiply with entries
/// of B that are results already.
/// Error of products on finite data without overflow: K u |A||B| (complex 2K u) before the epilogue.
template <Scalar T>
void compute_plainly(const GemmProblem<T>& problem) noexcept;

}  // namespace ab::blas
