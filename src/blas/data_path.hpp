// SPDX-License-Identifier: MIT
// Whether a device may read a call's operands where they are (spec 5.3).
#pragma once
#include "core/problem.hpp"
#include "ops/host_memory.hpp"
#include "routing/route.hpp"

namespace ab::blas {

/// InPlace when A, B and C lie in registered memory, each whole in one range.
template <Scalar T>
routing::DataPath path_of_registered(const GemmProblem<T>& problem) noexcept;

/// The same; most programs register nothing.
template <Scalar T>
inline routing::DataPath path_of(const GemmProblem<T>& problem) noexcept {
  return ops::any_registered() ? path_of_registered(problem) : routing::DataPath::Copied;
}

}  // namespace ab::blas
