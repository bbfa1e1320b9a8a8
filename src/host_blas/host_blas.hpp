// SPDX-License-Identifier: MIT
// The BLAS library behind us (spec 4.9): found at the first call that needs it, called through the interface its caller used.
#pragma once
#include "core/problem.hpp"
#include "core/thread_state.hpp"
#include "host_blas/find.hpp"

namespace ab::host_blas {

enum class Interface { Fortran, Cblas };
enum class Integers { Bits32, Bits64 };

/// How the caller wrote the call.
struct Convention {
  Interface interface = Interface::Fortran;
  Integers integers = Integers::Bits32;
};

/// The host BLAS, or null when there is none. Looks for it at the first call; lock-free afterwards; the same for all threads.
const Library* library() noexcept;

/// Can it complete the problem? It has the routine (or GEMM, where that can do the same) under a name whose integers hold all sizes.
template <Scalar T>
bool serves(const Library& library, const Routine& routine, const GemmProblem<T>& problem, Convention convention) noexcept;

/// The routine by the host BLAS's function of this convention: its Fortran one where it has no CBLAS, that with 32-bit integers where
/// it has no others, GEMM where it lacks GEMMT, GEMM3M or batches; with inside_host_blas of the calling thread's state set meanwhile.
/// It must serve; the arguments must have been checked.
template <Scalar T>
void call(const Library& library, const Routine& routine, const GemmProblem<T>& problem, Convention convention,
          ThreadState& thread) noexcept;
template <Scalar T>
void call(const Library& library, const Routine& routine, const GemmBatch<T>& batch, Convention convention, ThreadState& thread) noexcept;

}  // namespace ab::host_blas
