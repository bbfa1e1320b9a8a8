// SPDX-License-Identifier: MIT
// One checked level-3 call of the BLAS ABI: quick return, route, run, fall back, record.
#pragma once
#include "core/problem.hpp"
#include "core/routines.hpp"
#include "host_blas/host_blas.hpp"
#include "report/call.hpp"

namespace ab::blas {

/// How the caller wrote the call. A row-major one arrives as the column-major problem on the same memory (core/arguments.hpp).
enum class Order { ColumnMajor, RowMajor };
struct Front {
  const Routine* routine;
  report::Api api;
  Order order = Order::ColumnMajor;
  host_blas::Integers integers = host_blas::Integers::Bits32;
};

/// Completes the problem: where the route says, or on the host side when the device declines or fails. The arguments have been checked.
/// C is right on return; thread_state() and reports say what ran.
template <Scalar T>
void run_gemm(const GemmProblem<T>& problem, const Front& front) noexcept;

/// The same for a group of a batch: one route, one record, each product by itself.
template <Scalar T>
void run_gemm_batch(const GemmBatch<T>& batch, const Front& front) noexcept;

}  // namespace ab::blas
