/* SPDX-License-Identifier: MIT
 * BLAS-shaped entry points of apple-bottom: column-major operands in host memory, arguments by value. The standard BLAS names that the
 * library also exports (dgemm_, cblas_dgemm, ...) are declared by the headers of BLAS. */
#ifndef APPLE_BOTTOM_BLAS_H
#define APPLE_BOTTOM_BLAS_H

#include "apple_bottom.h"

/* The same registers in C and in C++ on every supported ABI. */
#ifdef __cplusplus
extern "C++" { /* also when a program includes this file inside extern "C" */
#include <complex>
}
typedef std::complex<double> ab_complex;
#else
typedef double _Complex ab_complex;
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* C = alpha op(A) op(B) + beta C, as DGEMM and ZGEMM: op(A) m x k, op(B) k x n, C m x n; transA, transB one of N, T, C in either case.
 * A bad argument is reported as BLAS does (xerbla_ with the number of DGEMM's argument list) and leaves C untouched. Runs on a device
 * where that was measured faster than the host BLAS, otherwise there; a device that cannot or fails is replaced by the host. */
AB_API void ab_dgemm_blas(char transA, char transB, int m, int n, int k, double alpha, const double* A, int lda, const double* B, int ldb,
                          double beta, double* C, int ldc);
AB_API void ab_zgemm_blas(char transA, char transB, int m, int n, int k, ab_complex alpha, const ab_complex* A, int lda,
                          const ab_complex* B, int ldb, ab_complex beta, ab_complex* C, int ldc);

/* Permits the library to read BLAS operands that lie in these bytes in place, where a device can; results never depend on it. Any start
 * and length; opens no device. The memory must outlive its registration, which lasts until it is unregistered, whatever ab_shutdown does,
 * but not in a forked child. AB_ERROR_INVALID_ARG: NULL, 0 bytes, an overlap with a registered range. */
AB_API ABStatus ab_register_host_memory(void* base, size_t nbytes);
/* Waits for the calls that use the range. AB_ERROR_INVALID_ARG: no range begins there. */
AB_API ABStatus ab_unregister_host_memory(void* base);

/* This thread's last call of the BLAS ABI: "gpu" when a device other than `cpu` computed any part of the result, else "cpu";
 * "none" before any. Static storage. */
AB_API const char* ab_get_last_dispatch_path(void);

#ifdef __cplusplus
}
#endif

#endif
