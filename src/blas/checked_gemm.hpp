// SPDX-License-Identifier: MIT
// A GEMM call with letters, as Fortran and C callers pass it: checked, then run.
#pragma once
#include "blas/gemm.hpp"

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

/// Completes the call, or reports its first bad argument and leaves C untouched.
template <Scalar T>
void check_and_run(const PassedGemm<T>& passed, report::Api api) noexcept;

/// "dgemm" or "zgemm".
template <Scalar T>
inline constexpr const char* gemm_name = std::same_as<T, double> ? "dgemm" : "zgemm";
/// As xerbla wants it: six characters, blank padded.
template <Scalar T>
inline constexpr const char* padded_gemm_name = std::same_as<T, double> ? "DGEMM " : "ZGEMM ";

}  // namespace ab::blas
