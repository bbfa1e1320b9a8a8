// SPDX-License-Identifier: MIT
// Quick returns of GEMM (spec 4.4): calls that read neither A nor B are finished on the host, without any device.
#pragma once
#include "core/problem.hpp"

namespace ab::blas {

/// True when the call is done: nothing to do, or C = beta C (docs/numerics.md 3.3; a NaN result is 0x7FF8000000000000).
template <Scalar T>
bool finish_trivial(const GemmProblem<T>& problem) noexcept;

}  // namespace ab::blas
