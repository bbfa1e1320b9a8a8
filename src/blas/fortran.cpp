// SPDX-License-Identifier: MIT
// The Fortran names: every argument a pointer of any alignment, read once. The hidden string lengths that some callers append are not
// declared, since they are never read. One macro for each list of arguments; names with 64_ take 64-bit integers.
#include "apple_bottom_blas.h"
#include "blas/callers.hpp"
#include "blas/checked_call.hpp"
#include "core/host_arithmetic.hpp"

using ab::Complex;
using ab::diagonal_of_letter;
using ab::load;
using ab::op_of_letter;
using ab::side_of_letter;
using ab::triangle_of_letter;
using ab::blas::check_and_run;
using ab::blas::fortran;

// T: of the matrices; S: of scalars that are real in Hermitian routines.
#define AB_GEMM(name, routine, Int, T, S)                                                                                        \
  AB_API void name(const char* transa, const char* transb, const Int* m, const Int* n, const Int* k, const T* alpha, const T* a, \
                   const Int* lda, const T* b, const Int* ldb, const T* beta, T* c, const Int* ldc) {                            \
    check_and_run<T>(fortran<Int>(routine),                                                                                      \
                     {{.op_a = op_of_letter(*transa),                                                                            \
                       .op_b = op_of_letter(*transb),                                                                            \
                       .m = load(m),                                                                                             \
                       .n = load(n),                                                                                             \
                       .k = load(k),                                                                                             \
                       .lda = load(lda),                                                                                         \
                       .ldb = load(ldb),                                                                                         \
                       .ldc = load(ldc)},                                                                                        \
                      load(alpha),                                                                                               \
                      a,                                                                                                         \
                      b,                                                                                                         \
                      load(beta),                                                                                                \
                      c},                                                                                                        \
                     {*transa, *transb});                                                                                        \
  }
#define AB_GEMMT(name, routine, Int, T, S)                                                                                           \
  AB_API void name(const char* uplo, const char* transa, const char* transb, const Int* n, const Int* k, const T* alpha, const T* a, \
                   const Int* lda, const T* b, const Int* ldb, const T* beta, T* c, const Int* ldc) {                                \
    check_and_run<T>(fortran<Int>(routine),                                                                                          \
                     {{.uplo = triangle_of_letter(*uplo),                                                                            \
                       .op_a = op_of_letter(*transa),                                                                                \
                       .op_b = op_of_letter(*transb),                                                                                \
                       .n = load(n),                                                                                                 \
                       .k = load(k),                                                                                                 \
                       .lda = load(lda),                                                                                             \
                       .ldb = load(ldb),                                                                                             \
                       .ldc = load(ldc)},                                                                                            \
                      load(alpha),                                                                                                   \
                      a,                                                                                                             \
                      b,                                                                                                             \
                      load(beta),                                                                                                    \
                      c},                                                                                                            \
                     {*uplo, *transa, *transb});                                                                                     \
  }
#define AB_RANK_K(name, routine, Int, T, S)                                                                                     \
  AB_API void name(const char* uplo, const char* trans, const Int* n, const Int* k, const S* alpha, const T* a, const Int* lda, \
                   const S* beta, T* c, const Int* ldc) {                                                                       \
    check_and_run<T>(fortran<Int>(routine),                                                                                     \
                     {{.uplo = triangle_of_letter(*uplo),                                                                       \
                       .op_a = op_of_letter(*trans),                                                                            \
                       .n = load(n),                                                                                            \
                       .k = load(k),                                                                                            \
                       .lda = load(lda),                                                                                        \
                       .ldc = load(ldc)},                                                                                       \
                      load(alpha),                                                                                              \
                      a,                                                                                                        \
                      nullptr,                                                                                                  \
                      load(beta),                                                                                               \
                      c},                                                                                                       \
                     {*uplo, *trans});                                                                                          \
  }
#define AB_RANK_TWO(name, routine, Int, T, S)                                                                                   \
  AB_API void name(const char* uplo, const char* trans, const Int* n, const Int* k, const T* alpha, const T* a, const Int* lda, \
                   const T* b, const Int* ldb, const S* beta, T* c, const Int* ldc) {                                           \
    check_and_run<T>(fortran<Int>(routine),                                                                                     \
                     {{.uplo = triangle_of_letter(*uplo),                                                                       \
                       .op_a = op_of_letter(*trans),                                                                            \
                       .n = load(n),                                                                                            \
                       .k = load(k),                                                                                            \
                       .lda = load(lda),                                                                                        \
                       .ldb = load(ldb),                                                                                        \
                       .ldc = load(ldc)},                                                                                       \
                      load(alpha),                                                                                              \
                      a,                                                                                                        \
                      b,                                                                                                        \
                      load(beta),                                                                                               \
                      c},                                                                                                       \
                     {*uplo, *trans});                                                                                          \
  }
#define AB_SYMMETRIC(name, routine, Int, T, S)                                                                                             \
  AB_API void name(const char* side, const char* uplo, const Int* m, const Int* n, const T* alpha, const T* a, const Int* lda, const T* b, \
                   const Int* ldb, const T* beta, T* c, const Int* ldc) {                                                                  \
    check_and_run<T>(fortran<Int>(routine),                                                                                                \
                     {{.side = side_of_letter(*side),                                                                                      \
                       .uplo = triangle_of_letter(*uplo),                                                                                  \
                       .m = load(m),                                                                                                       \
                       .n = load(n),                                                                                                       \
                       .lda = load(lda),                                                                                                   \
                       .ldb = load(ldb),                                                                                                   \
                       .ldc = load(ldc)},                                                                                                  \
                      load(alpha),                                                                                                         \
                      a,                                                                                                                   \
                      b,                                                                                                                   \
                      load(beta),                                                                                                          \
                      c},                                                                                                                  \
                     {*side, *uplo});                                                                                                      \
  }
#define AB_TRIANGULAR(name, routine, Int, T, S)                                                                                          \
  AB_API void name(const char* side, const char* uplo, const char* transa, const char* diag, const Int* m, const Int* n, const T* alpha, \
                   const T* a, const Int* lda, T* b, const Int* ldb) {                                                                   \
    check_and_run<T>(fortran<Int>(routine),                                                                                              \
                     {{.side = side_of_letter(*side),                                                                                    \
                       .uplo = triangle_of_letter(*uplo),                                                                                \
                       .op_a = op_of_letter(*transa),                                                                                    \
                       .diag = diagonal_of_letter(*diag),                                                                                \
                       .m = load(m),                                                                                                     \
                       .n = load(n),                                                                                                     \
                       .lda = load(lda),                                                                                                 \
                       .ldb = load(ldb)},                                                                                                \
                      load(alpha),                                                                                                       \
                      a,                                                                                                                 \
                      nullptr,                                                                                                           \
                      {},                                                                                                                \
                      b},                                                                                                                \
                     {*side, *uplo, *transa, *diag});                                                                                    \
  }
#define AB_BOTH(DEFINE, name, routine, T, S) DEFINE(name##_, routine, int, T, S) DEFINE(name##_64_, routine, std::int64_t, T, S)
#define AB_REAL(DEFINE, name) AB_BOTH(DEFINE, name, #name, double, double)
#define AB_COMPLEX(DEFINE, name) AB_BOTH(DEFINE, name, #name, Complex, Complex)
#define AB_HERMITIAN(DEFINE, name) AB_BOTH(DEFINE, name, #name, Complex, double)

extern "C" {

AB_REAL(AB_GEMM, dgemm)
AB_COMPLEX(AB_GEMM, zgemm)
AB_COMPLEX(AB_GEMM, zgemm3m)
AB_REAL(AB_GEMMT, dgemmt)
AB_COMPLEX(AB_GEMMT, zgemmt)
AB_BOTH(AB_GEMMT, dgemmtr, "dgemmt", double, double)
AB_BOTH(AB_GEMMT, zgemmtr, "zgemmt", Complex, Complex)
AB_REAL(AB_RANK_K, dsyrk)
AB_COMPLEX(AB_RANK_K, zsyrk)
AB_HERMITIAN(AB_RANK_K, zherk)
AB_REAL(AB_RANK_TWO, dsyr2k)
AB_COMPLEX(AB_RANK_TWO, zsyr2k)
AB_HERMITIAN(AB_RANK_TWO, zher2k)
AB_REAL(AB_SYMMETRIC, dsymm)
AB_COMPLEX(AB_SYMMETRIC, zsymm)
AB_COMPLEX(AB_SYMMETRIC, zhemm)
AB_REAL(AB_TRIANGULAR, dtrmm)
AB_COMPLEX(AB_TRIANGULAR, ztrmm)
AB_REAL(AB_TRIANGULAR, dtrsm)
AB_COMPLEX(AB_TRIANGULAR, ztrsm)

// The names of version 1. They do not call dgemm_ and zgemm_, which may be another library's in this process.
AB_GEMM(ab_dgemm_, "dgemm", int, double, double)
AB_GEMM(ab_zgemm_, "zgemm", int, Complex, Complex)

}  // extern "C"
