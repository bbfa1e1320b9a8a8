// SPDX-License-Identifier: MIT
// Quick returns (spec 4.4): calls that read neither A nor B are finished on the host, without any device.
#pragma once
#include "core/problem.hpp"

namespace ab::blas {

/// Does the call read neither A nor B?
template <Scalar T>
constexpr bool is_trivial(const GemmProblem<T>& problem) {
  return problem.m == 0 || problem.n == 0 || problem.k == 0 || problem.alpha == T(0);
}

/// Completes a trivial call: nothing to do, or C = beta C (docs/numerics.md 3.3; a NaN result is 0x7FF8000000000000).
template <Scalar T>
void finish_trivial(const GemmProblem<T>& problem) noexcept;

}  // namespace ab::blas
