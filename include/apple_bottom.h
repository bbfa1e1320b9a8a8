/* SPDX-License-Identifier: MIT
 * apple-bottom: FP64-class matrix products on hardware without fast FP64. Handle API: row-major FP64 matrices that stay on a device
 * between calls. C11 and C++17. Enum values, struct layouts and signatures are ABI for the whole 2.x series. */
#ifndef APPLE_BOTTOM_H
#define APPLE_BOTTOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef AB_API
#if defined(__GNUC__) || defined(__clang__)
#define AB_API __attribute__((visibility("default")))
#else
#define AB_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define APPLE_BOTTOM_VERSION_MAJOR 2
#define APPLE_BOTTOM_VERSION_MINOR 0
#define APPLE_BOTTOM_VERSION_PATCH 0
#define APPLE_BOTTOM_VERSION_STRING "2.0.0-dev"
#define AB_POOL_CAPACITY 128
#define AB_SESSION_CAPACITY 64
#define AB_SESSION_NAME_MAX 63 /* bytes, without the final NUL */

/* ---- types ----------------------------------------------------------------------------------------------------------- */

typedef struct ABMatrix_s* ABMatrix;
typedef struct ABSession_s* ABSession;
typedef struct ABFuture_s* ABFuture;
typedef struct ABMemoryPool_s* ABMemoryPool;
typedef struct ABBatch_s* ABBatch;

typedef enum {
  AB_OK = 0,
  AB_ERROR_NO_DEVICE = -1,
  AB_ERROR_ALLOC_FAILED = -2,
  AB_ERROR_DIMENSION_MISMATCH = -3,
  AB_ERROR_NOT_UPLOADED = -4,
  AB_ERROR_KERNEL_FAILED = -5,
  AB_ERROR_INVALID_ARG = -6,
  AB_ERROR_SHADER_COMPILE = -7,
  AB_ERROR_SINGULAR = -8
} ABStatus;

typedef enum { AB_NO_TRANS = 0, AB_TRANS = 1, AB_CONJ_TRANS = 2 } ABTranspose;
typedef enum { AB_LEFT = 0, AB_RIGHT = 1 } ABSide;
typedef enum { AB_UPPER = 0, AB_LOWER = 1 } ABUplo;
typedef enum { AB_NON_UNIT = 0, AB_UNIT_DIAG = 1 } ABDiag;

/* What is promised for the product P = op(A) op(B) of inner dimension K, componentwise, before alpha and beta; u = 2^-53, v = 2^-24. */
typedef enum {
  AB_PRECISION_DEFAULT = 0, /* the environment's (AB_PRECISION), else FP64 */
  AB_PRECISION_DD = 1,      /* double-float: error <= (3K + 13) v^2 |A||B| */
  AB_PRECISION_FAST = 2,    /* within the bound of DD, certified */
  AB_PRECISION_FP64 = 3,    /* error <= K u |A||B| (complex: 2K u per part), certified */
  AB_PRECISION_STRICT = 4,  /* error <= 5 u |A||B|, certified, plus the final rounding */
  AB_PRECISION_EXACT = 5    /* the correctly rounded product */
} ABPrecision;

typedef enum { AB_ENGINE_NONE = 0, AB_ENGINE_HOST = 1, AB_ENGINE_DEVICE = 2, AB_ENGINE_SPLIT = 3 } ABEngine;

typedef enum {
  AB_SCHEME_NONE = 0,
  AB_SCHEME_TRIVIAL = 1, /* quick return or C := beta C */
  AB_SCHEME_VENDOR = 2,  /* host BLAS or a vendor's FP64 GEMM */
  AB_SCHEME_IEEE = 3,    /* defined FP64 inner products */
  AB_SCHEME_DD = 4,
  AB_SCHEME_CRT_INT8 = 5,
  AB_SCHEME_CRT_10BIT = 6,
  AB_SCHEME_CRT_11BIT = 7,
  AB_SCHEME_EXACT = 8 /* exact accumulation of class exact */
} ABScheme;

typedef struct {
  double upload_time_ms, download_time_ms, kernel_time_ms;
  uint64_t dgemm_count, zgemm_count, elements_converted;
} ABStats;

typedef struct { /* set struct_size = sizeof(ABDeviceTraits) before the call; fields beyond the caller's size are not written */
  size_t struct_size;
  int index;                 /* as in ab_select_device */
  char id[32];               /* what AB_DEVICE takes: "cpu", "cuda:0", "metal", "vulkan:1" */
  char name[128];            /* "NVIDIA H200" */
  uint64_t memory_bytes;     /* device memory; host memory for cpu and unified devices */
  uint64_t max_buffer_bytes; /* largest single allocation */
  int unified_memory;        /* 1: host and device share memory */
  int fp64;                  /* 1: IEEE FP64 arithmetic in hardware */
  int int8_matrix;           /* 1: has an INT8 matrix unit that the library uses */
  int trusted;               /* 1: passed its self-test, 0: refused, -1: not tested yet in this process */
  char reason[160];          /* why refused; "" otherwise */
} ABDeviceTraits;

typedef struct { /* set struct_size = sizeof(ABProduct) before the call */
  size_t struct_size;
  ABPrecision precision;       /* class in force; never AB_PRECISION_DEFAULT */
  ABScheme scheme;             /* what computed the result */
  ABEngine engine;             /* HOST: host BLAS or IEEE path on the host; DEVICE: a device, cpu included; SPLIT: more than one device */
  int device;                  /* device index; of the GPU in a split; -1: none */
  int moduli;                  /* CRT: moduli of the final result; else 0 */
  int escalations;             /* CRT: how often moduli were added because a certificate failed */
  int guard;                   /* guard level 0..3 that certified; 4: proven without it (dd, exact, IEEE path on finite data); -1: none */
  int complex_form;            /* 3 or 4 real products; 0: real, or not computed by a class */
  double bound;                /* certified: |error| <= bound * 2^-53 * |A||B| per entry before alpha, beta and final rounding; 0: exact;
                                  < 0: no certificate */
  const char* route_reason;    /* one word, e.g. "table_faster"; static storage */
  const char* fallback_reason; /* one word, e.g. "nonfinite"; "" when nothing fell back */
} ABProduct;

/* ---- library life ----------------------------------------------------------------------------------------------------
 * Every function that returns an ABStatus is all or nothing: on an error its outputs are as before. Checks run in this order and the
 * first failure is returned: NULL (INVALID_ARG); enums and scalars (INVALID_ARG); dimensions (DIMENSION_MISMATCH); context
 * (NO_DEVICE); aliasing and mixed devices (INVALID_ARG); contents (NOT_UPLOADED); memory (ALLOC_FAILED); execution (KERNEL_FAILED).
 * Any function may be called from any thread; one matrix written by two threads at once is the caller's mistake. */

/* Opens the calling thread's current device and runs its self-test. Idempotent, not counted: one ab_shutdown ends it.
 * NO_DEVICE: the device that AB_DEVICE asks for is absent or refused by its self-test; SHADER_COMPILE: kernels do not load;
 * ALLOC_FAILED. Without an explicit AB_DEVICE it succeeds, if need be with `cpu`. */
AB_API ABStatus ab_init(void);
/* Waits for all work in flight, frees device memory, zeroes the statistics. Handles still alive may only be destroyed. */
AB_API void ab_shutdown(void);
AB_API bool ab_is_initialized(void);
/* Name of the calling thread's current device, static storage; "Unknown" before ab_init. */
AB_API const char* ab_device_name(void);
/* Static text; "Unknown error" for an unknown code. */
AB_API const char* ab_status_string(ABStatus status);
/* Version of the library loaded, e.g. "2.0.0-dev". */
AB_API const char* ab_version(void);
/* What went wrong in the last failed call of this thread (also when a creator returned NULL); "" if none. Not cleared by success;
 * valid until this thread's next failure. */
AB_API const char* ab_last_error(void);

/* ---- devices --------------------------------------------------------------------------------------------------------- */

/* Devices found, `cpu` (index 0) included, those refused by their self-test too. Needs no ab_init. */
AB_API int ab_device_count(void);
/* INVALID_ARG: NULL, struct_size too small, index out of range. Needs no ab_init; tests nothing (see `trusted`). */
AB_API ABStatus ab_device_traits(int index, ABDeviceTraits* traits);
/* Current device of the calling thread; opened and tested at its first use. INVALID_ARG: index out of range; NO_DEVICE: refused,
 * or a GPU in a forked child. The selection then stays. */
AB_API ABStatus ab_select_device(int index);
/* Index of the calling thread's current device. */
AB_API int ab_current_device(void);

/* ---- precision class and certificate ---------------------------------------------------------------------------------- */

/* Class of the calling thread's products; AB_PRECISION_DEFAULT goes back to the environment's. INVALID_ARG: unknown value, or a class
 * that this version does not have. */
AB_API ABStatus ab_set_precision(ABPrecision precision);
/* The class in force for this thread; never AB_PRECISION_DEFAULT. */
AB_API ABPrecision ab_get_precision(void);
/* The last product completed by a call of this thread, through any front. Before any: scheme NONE, bound -1. Of an operation made of
 * several products: largest bound (-1 if any has none), most moduli, all escalations, the first fallback. Of futures and batches: in the
 * thread that waits.
 * INVALID_ARG: NULL or struct_size too small. */
AB_API ABStatus ab_last_product(ABProduct* product);

/* ---- matrices: row-major, element (i, j) at i * cols + j, FP64 bits on the device --------------------------------------- */

/* A matrix without contents on the calling thread's current device. NULL: rows or cols <= 0, rows * cols > 2^31 - 1, more than the
 * device's largest buffer, no ab_init, or no memory. */
AB_API ABMatrix ab_matrix_create(int rows, int cols);
/* NULL is fine. Deferred while unfinished work needs the matrix; without effect on what belongs to a pool or session. */
AB_API void ab_matrix_destroy(ABMatrix matrix);
/* Each out pointer may be NULL; NULL matrix: outputs untouched. */
AB_API void ab_matrix_dims(ABMatrix matrix, int* rows, int* cols);
AB_API size_t ab_matrix_count(ABMatrix matrix); /* rows * cols; NULL: 0 */
/* Copy rows * cols doubles in or out, bit for bit (NaN payloads included). `parallel` is a hint. Download: NOT_UPLOADED. */
AB_API ABStatus ab_matrix_upload(ABMatrix matrix, const double* data, bool parallel);
AB_API ABStatus ab_matrix_download(ABMatrix matrix, double* data, bool parallel);
AB_API ABStatus ab_matrix_zero(ABMatrix matrix);            /* all elements +0 */
AB_API ABStatus ab_matrix_copy(ABMatrix src, ABMatrix dst); /* equal shapes */
/* C = A + B, C = A - B in IEEE FP64; equal shapes; C may be A or B. */
AB_API ABStatus ab_matrix_add(ABMatrix A, ABMatrix B, ABMatrix C);
AB_API ABStatus ab_matrix_sub(ABMatrix A, ABMatrix B, ABMatrix C);
AB_API ABStatus ab_matrix_scale(double alpha, ABMatrix A); /* A = alpha A in IEEE FP64; 0 * Inf is NaN */

/* ---- products: synchronous, in the class in force ----------------------------------------------------------------------
 * A and B may be the same handle; an output that is also an input is INVALID_ARG. NaN and Inf appear where IEEE FP64 puts them. */

/* C = A B; A m x k, B k x n, C m x n. */
AB_API ABStatus ab_dgemm(ABMatrix A, ABMatrix B, ABMatrix C);
/* C = alpha A B + beta C. beta = 0 does not read C, alpha = 0 does not read A and B. */
AB_API ABStatus ab_dgemm_scaled(double alpha, ABMatrix A, ABMatrix B, double beta, ABMatrix C);
/* C = A B for complex matrices held as real and imaginary parts. */
AB_API ABStatus ab_zgemm(ABMatrix Ar, ABMatrix Ai, ABMatrix Br, ABMatrix Bi, ABMatrix Cr, ABMatrix Ci);
/* C = op(A) op(B); the shapes that must fit are those of op(A), op(B) and C. */
AB_API ABStatus ab_zgemm_ex(ABTranspose transA, ABTranspose transB, ABMatrix Ar, ABMatrix Ai, ABMatrix Br, ABMatrix Bi, ABMatrix Cr,
                            ABMatrix Ci);

/* The upper triangle (j >= i) of C = A A^T, with the bits of ab_dgemm; A n x k, C n x n. The strict lower triangle stays as it is; of a
 * C without contents it is zero. */
AB_API ABStatus ab_dsyrk(ABMatrix A, ABMatrix C);
/* C = A A^H, both parts in full: Cr symmetric, Ci antisymmetric with an exactly zero diagonal. */
AB_API ABStatus ab_zherk(ABMatrix Ar, ABMatrix Ai, ABMatrix Cr, ABMatrix Ci);

/* ---- solves: synchronous ------------------------------------------------------------------------------------------------ */

/* AB_LEFT: op(A) X = alpha B, A m x m; AB_RIGHT: X op(A) = alpha B, A n x n; B m x n becomes X. AB_CONJ_TRANS means AB_TRANS. Only the
 * named triangle of A is read, and not its diagonal with AB_UNIT_DIAG; alpha = 0 reads neither A nor B. Diagonal blocks are solved in FP64,
 * the rest are products of the class. No test for singularity: a zero on the diagonal gives Inf or NaN. */
AB_API ABStatus ab_dtrsm(ABSide side, ABUplo uplo, ABTranspose transA, ABDiag diag, double alpha, ABMatrix A, ABMatrix B);
/* A X = B by mixed-precision iterative refinement, X overwrites B, A stays: factors in low precision, residuals as products of the class,
 * FP64 LU with partial pivoting where refinement does not reach FP64 level (ab_last_product then says not_converged).
 * INVALID_ARG: A not square; DIMENSION_MISMATCH: B has other rows; SINGULAR: a pivot is exactly zero, even in FP64. */
AB_API ABStatus ab_dgesv_mpir(ABMatrix A, ABMatrix B);

/* ---- futures: products that may still run when the call returns ----------------------------------------------------------
 * Checks, results and bits of the synchronous call. An invalid call returns a complete future that carries the error; NULL only when out
 * of memory. Later calls see one order: they wait for what they follow. If a future fails, C is as it was. */
AB_API ABFuture ab_dgemm_async(ABMatrix A, ABMatrix B, ABMatrix C);
AB_API ABFuture ab_zgemm_async(ABMatrix Ar, ABMatrix Ai, ABMatrix Br, ABMatrix Bi, ABMatrix Cr, ABMatrix Ci);
/* The final status, in any thread, as often as wanted, also after ab_shutdown; ab_last_product is then that of this thread.
 * NULL: INVALID_ARG. */
AB_API ABStatus ab_future_wait(ABFuture future);
AB_API bool ab_future_is_ready(ABFuture future);   /* does not block; NULL: true */
AB_API ABStatus ab_future_status(ABFuture future); /* does not block; pending reads as AB_OK; NULL: INVALID_ARG */
AB_API void ab_future_destroy(ABFuture future);    /* waits if unfinished; NULL is fine */

/* ---- batches: products checked when added, run in the order of adding once committed --------------------------------------
 * An output of an earlier operation counts as defined. After a failure while running, later operations do not run. Add, barrier and
 * commit on a committed batch and wait on an open one: INVALID_ARG. */
AB_API ABBatch ab_batch_create(void);        /* on the thread's current device; NULL before ab_init */
AB_API void ab_batch_destroy(ABBatch batch); /* open: nothing runs; committed: waits; NULL is fine */
AB_API ABStatus ab_batch_dgemm(ABBatch batch, ABMatrix A, ABMatrix B, ABMatrix C);
AB_API ABStatus ab_batch_dgemm_scaled(ABBatch batch, double alpha, ABMatrix A, ABMatrix B, double beta, ABMatrix C);
AB_API ABStatus ab_batch_zgemm(ABBatch batch, ABMatrix Ar, ABMatrix Ai, ABMatrix Br, ABMatrix Bi, ABMatrix Cr, ABMatrix Ci);
AB_API ABStatus ab_batch_barrier(ABBatch batch); /* what was added before is visible to what is added after */
AB_API ABStatus ab_batch_commit(ABBatch batch);  /* starts the work */
AB_API ABStatus ab_batch_wait(ABBatch batch);    /* the first failure, else AB_OK; as often as wanted */
/* The single calls in index order, all entries checked before any runs. count <= 0: AB_OK; a NULL array or entry: INVALID_ARG. */
AB_API ABStatus ab_dgemm_batched(int count, ABMatrix* As, ABMatrix* Bs, ABMatrix* Cs);
AB_API ABStatus ab_zgemm_batched(int count, ABMatrix* Ars, ABMatrix* Ais, ABMatrix* Brs, ABMatrix* Bis, ABMatrix* Crs, ABMatrix* Cis);

/* ---- pools and sessions: matrices for reuse; they live as long as what they came from ------------------------------------ */

/* A pool has at most AB_POOL_CAPACITY matrices. A free one of the same shape is preferred, then one with enough capacity, then a new
 * one. What comes out has no contents. NULL: full, bad shape. A NULL pool is ab_matrix_create. */
AB_API ABMemoryPool ab_pool_create(size_t size_hint); /* the hint is not needed */
AB_API void ab_pool_destroy(ABMemoryPool pool);
AB_API ABMatrix ab_pool_get_matrix(ABMemoryPool pool, int rows, int cols);
AB_API void ab_pool_reset(ABMemoryPool pool); /* all its matrices are free again */

/* A session has at most AB_SESSION_CAPACITY matrices under names of at most AB_SESSION_NAME_MAX bytes, compared bytewise and copied.
 * An unknown name: NULL from get, else INVALID_ARG. */
AB_API ABSession ab_session_create(void);
AB_API void ab_session_destroy(ABSession session);
AB_API ABStatus ab_session_add(ABSession session, const char* name, int rows, int cols);
AB_API ABMatrix ab_session_get(ABSession session, const char* name);
AB_API ABStatus ab_session_upload(ABSession session, const char* name, const double* data);
AB_API ABStatus ab_session_download(ABSession session, const char* name, double* data);
AB_API ABStatus ab_session_dgemm(ABSession session, const char* A, const char* B, const char* C);
AB_API ABStatus ab_session_zgemm(ABSession session, const char* Ar, const char* Ai, const char* Br, const char* Bi, const char* Cr,
                                 const char* Ci);

/* ---- statistics: process-wide, usable before ab_init ------------------------------------------------------------------- */

/* Real and complex products that ran on a device, doubles moved between host and device, wall times in ms. */
AB_API ABStats ab_get_stats(void);
AB_API void ab_reset_stats(void);
/* Six lines on stderr, the fields of ABStats in their order. */
AB_API void ab_print_stats(void);

#ifdef __cplusplus
}
#endif

#include "apple_bottom_blas.h"

#endif
