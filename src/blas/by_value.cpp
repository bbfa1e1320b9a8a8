// SPDX-License-Identifier: MIT
// The names of apple_bottom_blas.h: BLAS arguments by value, for C and C++ programs that want us and no other BLAS.
#include <string_view>

#include "apple_bottom_blas.h"
#include "blas/checked_call.hpp"
#include "core/thread_state.hpp"
#include "core/version.hpp"

static_assert(std::string_view(APPLE_BOTTOM_VERSION_STRING) == ab::version);

using ab::op_of_letter;
using ab::blas::check_and_run;
using ab::blas::Front;

namespace {

constexpr Front dgemm{ab::find_routine("dgemm"), ab::report::Api::C}, zgemm{ab::find_routine("zgemm"), ab::report::Api::C};

}  // namespace

void ab_dgemm_blas(char transA, char transB, int m, int n, int k, double alpha, const double* A, int lda, const double* B, int ldb,
                   double beta, double* C, int ldc) {
  check_and_run<double>(
      dgemm,
      {{.op_a = op_of_letter(transA), .op_b = op_of_letter(transB), .m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc},
       alpha,
       A,
       B,
       beta,
       C},
      {transA, transB});
}

void ab_zgemm_blas(char transA, char transB, int m, int n, int k, ab_complex alpha, const ab_complex* A, int lda, const ab_complex* B,
                   int ldb, ab_complex beta, ab_complex* C, int ldc) {
  check_and_run<ab::Complex>(
      zgemm,
      {{.op_a = op_of_letter(transA), .op_b = op_of_letter(transB), .m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc},
       alpha,
       A,
       B,
       beta,
       C},
      {transA, transB});
}

const char* ab_get_last_dispatch_path(void) {
  const ab::ThreadState& thread = ab::thread_state();
  if (!thread.any_blas_call) return "none";
  return thread.last_path_was_gpu ? "gpu" : "cpu";
}
