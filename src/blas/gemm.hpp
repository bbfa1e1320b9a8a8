// SPDX-License-Identifier: MIT
// One checked GEMM call of the BLAS ABI: quick return, route, run, fall back, record.
#pragma once
#include "core/problem.hpp"
#include "core/routines.hpp"
#include "report/call.hpp"

namespace ab::blas {

/// How the caller wrote the call. A row-major one arrives as the column-major problem with A and B exchanged.
enum class Order { ColumnMajor, RowMajor };
struct Front {
  const Routine* routine;
  report::Api api;
  Order order = Order::ColumnMajor;
};

/// Completes C = alpha op(A) op(B) + beta C: where the route says, or on the host side when the device declines or fails. The arguments
/// have been checked. C is right on return; thread_state() and reports say what ran.
template <Scalar T>
void run_gemm(const GemmProblem<T>& problem, const Front& front) noexcept;

}  // namespace ab::blas
