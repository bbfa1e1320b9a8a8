// SPDX-License-Identifier: MIT
// A GEMM call with letters, as Fortran and C callers pass it: checked, then run. Inline, so that a small call is built once.
#pragma once
#include "blas/gemm.hpp"
#include "blas/xerbla.hpp"
#include "core/arguments.hpp"

namespace ab::blas {

template <Scalar T>
struct PassedGemm {  // every argument by value, none of them checked
  char trans_a, trans_b;
  Index m, n, k;
  T alpha;
  const T* a;
  Index lda;
  const T* b;
  Index ldb;
  T beta;
  T* c;
  Index ldc;
};

template <Scalar T>
inline constexpr const Routine* gemm_routine = find_routine(std::same_as<T, double> ? "dgemm" : "zgemm");
/// As xerbla wants it: six characters, blank padded.
template <Scalar T>
inline constexpr const char* padded_gemm_name = std::same_as<T, double> ? "DGEMM " : "ZGEMM ";

/// Completes the call, or reports its first bad argument and leaves C untouched.
template <Scalar T>
inline void check_and_run(const PassedGemm<T>& passed, report::Api api) {
  const auto& [trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc] = passed;
  const GemmArguments arguments{op_of_letter(trans_a), op_of_letter(trans_b), m, n, k, lda, ldb, ldc};
  if (const std::optional<ArgumentFault> fault = find_fault(arguments)) [[unlikely]] {
    return report_fault(padded_gemm_name<T>, *fault, fault->position == 1 ? trans_a : trans_b);
  }
  run_gemm(GemmProblem<T>{m, n, k, alpha, {a, lda, *arguments.op_a}, {b, ldb, *arguments.op_b}, beta, {c, ldc}}, {gemm_routine<T>, api});
}

}  // namespace ab::blas
