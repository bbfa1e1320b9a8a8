/* SPDX-License-Identifier: MIT
 * apple-bottom: device-buffer API. Raw FP64 device memory (complex: interleaved), column-major, with explicit offsets. Every function
 * initialises the library by itself and sets ab_last_error; status values as in apple_bottom.h. C11 and C++17. */
#ifndef APPLE_BOTTOM_DEVICE_H
#define APPLE_BOTTOM_DEVICE_H

#include "apple_bottom.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ab_dev_buffer_s* ab_dev_buffer_t;
typedef struct ab_dev_stream_s* ab_dev_stream_t;

/* On the thread's current device; contents undefined. 0 bytes or no memory: NULL. */
AB_API ab_dev_buffer_t ab_dev_malloc(size_t nbytes);
AB_API void ab_dev_free(ab_dev_buffer_t buf); /* NULL is fine; deferred while unfinished work needs the buffer */
AB_API size_t ab_dev_buffer_size(ab_dev_buffer_t buf);

/* Offsets and sizes in bytes, any alignment. INVALID_ARG: NULL, or a range outside the buffer. d2d: ranges may overlap; buffers on
 * different devices: INVALID_ARG. */
AB_API ABStatus ab_dev_memcpy_h2d(ab_dev_buffer_t dst, size_t dst_offset, const void* src, size_t nbytes);
AB_API ABStatus ab_dev_memcpy_d2h(void* dst, ab_dev_buffer_t src, size_t src_offset, size_t nbytes);
AB_API ABStatus ab_dev_memcpy_d2d(ab_dev_buffer_t dst, size_t dst_offset, ab_dev_buffer_t src, size_t src_offset, size_t nbytes);
/* May return before the copy is done: the host memory must stay valid and untouched until the stream is synchronised. NULL stream: the
 * default stream. */
AB_API ABStatus ab_dev_memcpy_h2d_async(ab_dev_buffer_t dst, size_t dst_offset, const void* src, size_t nbytes, ab_dev_stream_t stream);
AB_API ABStatus ab_dev_memcpy_d2h_async(void* dst, ab_dev_buffer_t src, size_t src_offset, size_t nbytes, ab_dev_stream_t stream);
/* `height` rows of `width` bytes, `pitch` bytes apart; what lies between the rows is neither read nor written. pitch < width: INVALID_ARG.
 */
AB_API ABStatus ab_dev_memcpy_h2d_strided(ab_dev_buffer_t dst, size_t dst_offset, size_t dst_pitch, const void* src, size_t src_pitch,
                                          size_t width, size_t height);
AB_API ABStatus ab_dev_memcpy_d2h_strided(void* dst, size_t dst_pitch, ab_dev_buffer_t src, size_t src_offset, size_t src_pitch,
                                          size_t width, size_t height);
AB_API ABStatus ab_dev_memset(ab_dev_buffer_t buf, size_t offset, int value, size_t nbytes); /* bytes of value & 0xff */

/* In-order queues. Functions without a stream argument are synchronous and start after all work submitted earlier. sync reports the first
 * failure since the last one; NULL: the default stream. destroy waits; NULL is fine. */
AB_API ab_dev_stream_t ab_dev_stream_create(void);
AB_API void ab_dev_stream_destroy(ab_dev_stream_t stream);
AB_API ABStatus ab_dev_stream_sync(ab_dev_stream_t stream);

/* C = alpha op(A) op(B) + beta C, as DGEMM and ZGEMM; AB_CONJ_TRANS means AB_TRANS for real data. Offsets in elements (double; complex
 * double for z). Operands may lie in one buffer and interleave. INVALID_ARG: NULL buffer or scalar, enum, negative size, leading dimension
 * too small, an operand that reaches beyond its buffer. */
AB_API ABStatus ab_dev_dgemm(ABTranspose transA, ABTranspose transB, int m, int n, int k, double alpha, ab_dev_buffer_t A, int lda,
                             ab_dev_buffer_t B, int ldb, double beta, ab_dev_buffer_t C, int ldc);
AB_API ABStatus ab_dev_dgemm_offset(ABTranspose transA, ABTranspose transB, int m, int n, int k, double alpha, ab_dev_buffer_t A,
                                    size_t a_offset, int lda, ab_dev_buffer_t B, size_t b_offset, int ldb, double beta, ab_dev_buffer_t C,
                                    size_t c_offset, int ldc);
AB_API ABStatus ab_dev_zgemm(ABTranspose transA, ABTranspose transB, int m, int n, int k, const double alpha[2], ab_dev_buffer_t A, int lda,
                             ab_dev_buffer_t B, int ldb, const double beta[2], ab_dev_buffer_t C, int ldc);
AB_API ABStatus ab_dev_zgemm_offset(ABTranspose transA, ABTranspose transB, int m, int n, int k, const double alpha[2], ab_dev_buffer_t A,
                                    size_t a_offset, int lda, ab_dev_buffer_t B, size_t b_offset, int ldb, const double beta[2],
                                    ab_dev_buffer_t C, size_t c_offset, int ldc);

/* n complex elements from `offset` (complex elements) on: conjugated; times alpha; y = y + alpha x. IEEE FP64, each operation rounded by
 * itself. Increments in complex elements, negative ones from (1 - n) * inc as in BLAS, 0 allowed. */
AB_API ABStatus ab_dev_conjg_c(ab_dev_buffer_t buf, size_t offset, size_t n);
AB_API ABStatus ab_dev_scale_z(ab_dev_buffer_t buf, size_t offset, size_t n, const double alpha[2]);
AB_API ABStatus ab_dev_axpy_z(size_t n, const double alpha[2], ab_dev_buffer_t x, size_t x_offset, int incx, ab_dev_buffer_t y,
                              size_t y_offset, int incy);

#ifdef __cplusplus
}
#endif

#endif
