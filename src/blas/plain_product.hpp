// SPDX-License-Identifier: MIT
// The last resort of a call that no host BLAS and no device can serve, for want of memory: it needs none.
#pragma once
#include "core/problem.hpp"

namespace ab::blas {

/// C = alpha op(A) op(B) + beta C by the IEEE path of docs/numerics.md 4 and the epilogue of 3, entry by entry, in place.
/// Error on finite data without overflow: K u |A||B| (complex 2K u) before the epilogue.
template <Scalar T>
void multiply_plainly(const GemmProblem<T>& problem) noexcept;

}  // namespace ab::blas
