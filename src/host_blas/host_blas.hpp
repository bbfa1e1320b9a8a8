// SPDX-License-Identifier: MIT
// The BLAS library behind us (spec 4.9): found at the first call that needs it, called through the interface its caller used.
#pragma once
#include "core/problem.hpp"
#include "core/thread_state.hpp"
#include "host_blas/find.hpp"

namespace ab::host_blas {

enum class Interface { Fortran, Cblas };

/// The host BLAS, or null when there is none. Looks for it at the first call; lock-free afterwards; the same for all threads.
const Library* library() noexcept;

/// C = alpha op(A) op(B) + beta C by the host BLAS's function of this interface (its Fortran one where it has no CBLAS), with
/// inside_host_blas of the calling thread's state set meanwhile. The dimensions must fit 32-bit integers; the arguments must have been
/// checked.
template <Scalar T>
void gemm(const Library& library, const GemmProblem<T>& problem, Interface interface, ThreadState& thread) noexcept;

}  // namespace ab::host_blas
