// SPDX-License-Identifier: MIT
// The CBLAS names, one macro for each list of arguments. A row-major call is a column-major call on the same memory. cblas_dgemm64_ and
// cblas_dgemm_64 take 64-bit integers.
#include "apple_bottom_blas.h"
#include "blas/callers.hpp"
#include "blas/cblas_numbers.hpp"
#include "blas/checked_call.hpp"
#include "core/host_arithmetic.hpp"

using ab::Complex;
using ab::blas::cblas;
using ab::blas::check_and_run_cblas;
using ab::blas::diagonal_of_number;
using ab::blas::Matrix;
using ab::blas::named;
using ab::blas::op_of_number;
using ab::blas::Passed;
using ab::blas::scalar;
using ab::blas::side_of_number;
using ab::blas::triangle_of_number;

// T: of the matrices; S: of scalars that are real in Hermitian routines.
#define AB_MATRICES(T) scalar<T>(alpha), static_cast<const T*>(a), static_cast<const T*>(b), scalar<T>(beta), static_cast<T*>(c)
#define AB_GEMM(name, routine, Int, T, S)                                                                                          \
  AB_API void name(int order, int transa, int transb, Int m, Int n, Int k, Passed<T> alpha, const Matrix<T>* a, Int lda,           \
                   const Matrix<T>* b, Int ldb, Passed<T> beta, Matrix<T>* c, Int ldc) {                                           \
    check_and_run_cblas<T>(                                                                                                        \
        cblas<Int>(named(routine), order),                                                                                         \
        {{.op_a = op_of_number(transa), .op_b = op_of_number(transb), .m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc}, \
         AB_MATRICES(T)},                                                                                                          \
        {order, transa, transb});                                                                                                  \
  }
#define AB_GEMMT(name, routine, Int, T, S)                                                                                  \
  AB_API void name(int order, int uplo, int transa, int transb, Int n, Int k, Passed<T> alpha, const Matrix<T>* a, Int lda, \
                   const Matrix<T>* b, Int ldb, Passed<T> beta, Matrix<T>* c, Int ldc) {                                    \
    check_and_run_cblas<T>(cblas<Int>(named(routine), order),                                                               \
                           {{.uplo = triangle_of_number(uplo),                                                              \
                             .op_a = op_of_number(transa),                                                                  \
                             .op_b = op_of_number(transb),                                                                  \
                             .n = n,                                                                                        \
                             .k = k,                                                                                        \
                             .lda = lda,                                                                                    \
                             .ldb = ldb,                                                                                    \
                             .ldc = ldc},                                                                                   \
                            AB_MATRICES(T)},                                                                                \
                           {order, uplo, transa, transb});                                                                  \
  }
#define AB_RANK_K(name, routine, Int, T, S)                                                                                        \
  AB_API void name(int order, int uplo, int trans, Int n, Int k, Passed<S> alpha, const Matrix<T>* a, Int lda, Passed<S> beta,     \
                   Matrix<T>* c, Int ldc) {                                                                                        \
    const Matrix<T>* b = nullptr;                                                                                                  \
    check_and_run_cblas<T>(                                                                                                        \
        cblas<Int>(named(routine), order),                                                                                         \
        {{.uplo = triangle_of_number(uplo), .op_a = op_of_number(trans), .n = n, .k = k, .lda = lda, .ldc = ldc}, AB_MATRICES(T)}, \
        {order, uplo, trans});                                                                                                     \
  }
#define AB_RANK_TWO(name, routine, Int, T, S)                                                                                      \
  AB_API void name(int order, int uplo, int trans, Int n, Int k, Passed<T> alpha, const Matrix<T>* a, Int lda, const Matrix<T>* b, \
                   Int ldb, Passed<S> beta, Matrix<T>* c, Int ldc) {                                                               \
    check_and_run_cblas<T>(                                                                                                        \
        cblas<Int>(named(routine), order),                                                                                         \
        {{.uplo = triangle_of_number(uplo), .op_a = op_of_number(trans), .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc},      \
         AB_MATRICES(T)},                                                                                                          \
        {order, uplo, trans});                                                                                                     \
  }
#define AB_SYMMETRIC(name, routine, Int, T, S)                                                                                             \
  AB_API void name(int order, int side, int uplo, Int m, Int n, Passed<T> alpha, const Matrix<T>* a, Int lda, const Matrix<T>* b, Int ldb, \
                   Passed<T> beta, Matrix<T>* c, Int ldc) {                                                                                \
    check_and_run_cblas<T>(                                                                                                                \
        cblas<Int>(named(routine), order),                                                                                                 \
        {{.side = side_of_number(side), .uplo = triangle_of_number(uplo), .m = m, .n = n, .lda = lda, .ldb = ldb, .ldc = ldc},             \
         AB_MATRICES(T)},                                                                                                                  \
        {order, side, uplo});                                                                                                              \
  }
#define AB_TRIANGULAR(name, routine, Int, T, S)                                                                                     \
  AB_API void name(int order, int side, int uplo, int transa, int diag, Int m, Int n, Passed<T> alpha, const Matrix<T>* a, Int lda, \
                   Matrix<T>* c, Int ldb) {                                                                                         \
    check_and_run_cblas<T>(cblas<Int>(named(routine), order),                                                                       \
                           {{.side = side_of_number(side),                                                                          \
                             .uplo = triangle_of_number(uplo),                                                                      \
                             .op_a = op_of_number(transa),                                                                          \
                             .diag = diagonal_of_number(diag),                                                                      \
                             .m = m,                                                                                                \
                             .n = n,                                                                                                \
                             .lda = lda,                                                                                            \
                             .ldb = ldb},                                                                                           \
                            scalar<T>(alpha),                                                                                       \
                            static_cast<const T*>(a),                                                                               \
                            nullptr,                                                                                                \
                            {},                                                                                                     \
                            static_cast<T*>(c)},                                                                                    \
                           {order, side, uplo, transa, diag});                                                                      \
  }
#define AB_ALL(DEFINE, name, routine, T, S)              \
  DEFINE(cblas_##name, routine, int, T, S)               \
  DEFINE(cblas_##name##64_, routine, std::int64_t, T, S) \
  DEFINE(cblas_##name##_64, routine, std::int64_t, T, S)
#define AB_REAL(DEFINE, name) AB_ALL(DEFINE, name, #name, double, double)
#define AB_COMPLEX(DEFINE, name) AB_ALL(DEFINE, name, #name, Complex, Complex)
#define AB_HERMITIAN(DEFINE, name) AB_ALL(DEFINE, name, #name, Complex, double)

extern "C" {

AB_REAL(AB_GEMM, dgemm)
AB_COMPLEX(AB_GEMM, zgemm)
AB_COMPLEX(AB_GEMM, zgemm3m)
AB_REAL(AB_GEMMT, dgemmt)
AB_COMPLEX(AB_GEMMT, zgemmt)
AB_ALL(AB_GEMMT, dgemmtr, "dgemmt", double, double)
AB_ALL(AB_GEMMT, zgemmtr, "zgemmt", Complex, Complex)
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

}  // extern "C"
