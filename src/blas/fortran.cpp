// SPDX-License-Identifier: MIT
// The Fortran names: every argument a pointer of any alignment, read once. The hidden string lengths that some callers append are not
// declared, since they are never read.
#include "apple_bottom_blas.h"
#include "blas/checked_gemm.hpp"
#include "blas/host_arithmetic.hpp"

using ab::Complex;
using ab::blas::check_and_run;
using ab::blas::load;
using ab::blas::load_size;
using ab::report::Api;

extern "C" {

AB_API void dgemm_(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k, const double* alpha, const double* a,
                   const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc) {
  check_and_run<double>({*trans_a, *trans_b, load_size(m), load_size(n), load_size(k), load(alpha), a, load_size(lda), b, load_size(ldb),
                         load(beta), c, load_size(ldc)},
                        Api::Fortran);
}

AB_API void zgemm_(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k, const Complex* alpha,
                   const Complex* a, const int* lda, const Complex* b, const int* ldb, const Complex* beta, Complex* c, const int* ldc) {
  check_and_run<Complex>({*trans_a, *trans_b, load_size(m), load_size(n), load_size(k), load(alpha), a, load_size(lda), b, load_size(ldb),
                          load(beta), c, load_size(ldc)},
                         Api::Fortran);
}

// The names of version 1. They do not call dgemm_ and zgemm_, which may be another library's in this process.
AB_API void ab_dgemm_(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k, const double* alpha,
                      const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc) {
  check_and_run<double>({*trans_a, *trans_b, load_size(m), load_size(n), load_size(k), load(alpha), a, load_size(lda), b, load_size(ldb),
                         load(beta), c, load_size(ldc)},
                        Api::Fortran);
}

AB_API void ab_zgemm_(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k, const Complex* alpha,
                      const Complex* a, const int* lda, const Complex* b, const int* ldb, const Complex* beta, Complex* c, const int* ldc) {
  check_and_run<Complex>({*trans_a, *trans_b, load_size(m), load_size(n), load_size(k), load(alpha), a, load_size(lda), b, load_size(ldb),
                          load(beta), c, load_size(ldc)},
                         Api::Fortran);
}

}  // extern "C"
