/* SPDX-License-Identifier: MIT
 * Raw column-major device memory: a matrix goes in by columns on a stream, two of its submatrices are multiplied where they lie, and the
 * result comes back out of the same buffer. Usage: 04_device_buffers */
#include <stdio.h>

#include "apple_bottom_device.h"

enum { rows = 8, half = 4, columns = 12 }; /* columns 0 to 3: A over B; 4 to 11: room for C */

static int complain(const char* what) {
  fprintf(stderr, "%s: %s\n", what, ab_last_error());
  return 1;
}

int main(void) {
  double matrix[rows * half], c[half * half];
  for (int i = 0; i < rows * half; ++i) matrix[i] = (double)(i % 5) - 2.0;
  const size_t pitch = rows * sizeof(double);
  ab_dev_buffer_t buffer = ab_dev_malloc(columns * pitch); /* initialises the library */
  ab_dev_stream_t stream = ab_dev_stream_create();
  if (!buffer || !stream) return complain("ab_dev_malloc");
  if (ab_dev_memset(buffer, 0, 0, ab_dev_buffer_size(buffer)) != AB_OK) return complain("ab_dev_memset");
  if (ab_dev_memcpy_h2d_async(buffer, 0, matrix, sizeof matrix, stream) != AB_OK) return complain("ab_dev_memcpy_h2d_async");
  if (ab_dev_stream_sync(stream) != AB_OK) return complain("ab_dev_stream_sync");
  /* C = A B with A in rows 0 to 3, B in rows 4 to 7, C at column 4: as Fortran passes X(1,1), X(5,1), X(1,5). */
  if (ab_dev_dgemm_offset(AB_NO_TRANS, AB_NO_TRANS, half, half, half, 1.0, buffer, 0, rows, buffer, half, rows, 0.0, buffer,
                          (size_t)half * rows, rows) != AB_OK) {
    return complain("ab_dev_dgemm_offset");
  }
  if (ab_dev_memcpy_d2h_strided(c, half * sizeof(double), buffer, half * pitch, pitch, half * sizeof(double), half) != AB_OK) {
    return complain("ab_dev_memcpy_d2h_strided");
  }
  int wrong = 0;
  for (int j = 0; j < half; ++j) {
    for (int i = 0; i < half; ++i) {
      double sum = 0.0;
      for (int k = 0; k < half; ++k) sum += matrix[k * rows + i] * matrix[j * rows + half + k];
      wrong += c[j * half + i] != sum;
    }
  }
  printf("C = A B inside one device buffer of %zu bytes: %d of %d entries wrong\n", ab_dev_buffer_size(buffer), wrong, half * half);
  ab_dev_stream_destroy(stream);
  ab_dev_free(buffer);
  ab_shutdown();
  return wrong != 0;
}
