// SPDX-License-Identifier: MIT
// A call as Fortran, CBLAS and C callers pass it: checked, then run. Inline, so that a small call is built once.
#pragma once
#include <initializer_list>

#include "blas/cblas_numbers.hpp"
#include "blas/gemm.hpp"
#include "blas/problems.hpp"
#include "blas/xerbla.hpp"

namespace ab::blas {

/// Completes a column-major call, or reports its first bad argument and leaves C untouched. `letters` as passed.
template <Scalar T>
[[gnu::always_inline]] inline void check_and_run(const Front& front, const PassedCall<T>& call, std::initializer_list<char> letters) {
  if (const std::optional<ArgumentFault> fault = find_fault(*front.routine, call.arguments)) [[unlikely]] {
    return report_fault(front, *fault, fault->expected != nullptr ? letters.begin()[fault->position - 1] : ' ');
  }
  run_gemm(problem_of(*front.routine, call), front);
}

/// The column-major form of a CBLAS call, or none: its first bad argument has been reported. `numbers`: order and letters as passed.
template <Scalar T>
[[gnu::always_inline]] inline std::optional<PassedCall<T>> checked_cblas(const Front& front, const PassedCall<T>& call,
                                                                         std::initializer_list<int> numbers) {
  const int order = numbers.begin()[0];
  if (!is_order(order)) {
    report_cblas_enum(front, {1, "order", order, order_numbers});
    return std::nullopt;
  }
  std::optional<ArgumentFault> fault = find_fault(*front.routine, call.arguments);
  if (fault && fault->expected != nullptr) {
    report_cblas_enum(front, {fault->position + 1, fault->name, numbers.begin()[fault->position], nullptr});
    return std::nullopt;
  }
  if (front.order == Order::ColumnMajor) {
    if (!fault) return call;
    report_cblas_fault(front, *fault);
    return std::nullopt;
  }
  const PassedCall<T> column_major = exchanged(*front.routine, call);
  fault = find_fault(*front.routine, column_major.arguments);
  if (!fault) return column_major;
  report_cblas_fault(front, *fault);
  return std::nullopt;
}

template <Scalar T>
[[gnu::always_inline]] inline void check_and_run_cblas(const Front& front, const PassedCall<T>& call, std::initializer_list<int> numbers) {
  if (const std::optional<PassedCall<T>> checked = checked_cblas(front, call, numbers))
    run_gemm(problem_of(*front.routine, *checked), front);
}

}  // namespace ab::blas
