/* SPDX-License-Identifier: MIT
 * Products that run while the program does something else: a future, and a batch whose second product reads the first one's result.
 * Usage: 02_batches_and_futures [size] */
#include <stdio.h>
#include <stdlib.h>

#include "apple_bottom.h"

static int complain(const char* what) {
  fprintf(stderr, "%s: %s\n", what, ab_last_error());
  return 1;
}

/* C = A A by a future; D = A A, E = D A by a batch. */
static int submit_and_wait(ABMatrix a, ABMatrix c, ABMatrix d, ABMatrix e) {
  ABFuture future = ab_dgemm_async(a, a, c);
  ABBatch batch = ab_batch_create();
  if (!future || !batch) return complain("ab_batch_create");
  if (ab_batch_dgemm(batch, a, a, d) != AB_OK) return complain("ab_batch_dgemm");
  if (ab_batch_barrier(batch) != AB_OK) return complain("ab_batch_barrier");
  if (ab_batch_dgemm(batch, d, a, e) != AB_OK) return complain("ab_batch_dgemm"); /* d counts as defined already */
  if (ab_batch_commit(batch) != AB_OK) return complain("ab_batch_commit");
  printf("submitted; the first product is %s\n", ab_future_is_ready(future) ? "done" : "still running");
  if (ab_future_wait(future) != AB_OK) return complain("ab_future_wait");
  if (ab_batch_wait(batch) != AB_OK) return complain("ab_batch_wait");
  ab_future_destroy(future);
  ab_batch_destroy(batch);
  return 0;
}

static double first_value(ABMatrix matrix, double* values) {
  if (ab_matrix_download(matrix, values, true) != AB_OK) complain("ab_matrix_download");
  return values[0];
}

int main(int count, char** arguments) {
  const int size = count > 1 ? atoi(arguments[1]) : 200;
  if (size < 1 || size > 20000) {
    fprintf(stderr, "usage: %s [size from 1 to 20000]\n", arguments[0]);
    return 2;
  }
  double* values = malloc(sizeof(double) * (size_t)size * (size_t)size);
  if (!values) return 1;
  for (long i = 0; i < (long)size * size; ++i) values[i] = 0.5; /* all sums are exact */
  if (ab_init() != AB_OK) return complain("ab_init");
  ABMemoryPool pool = ab_pool_create(0); /* owns all four */
  ABMatrix a = ab_pool_get_matrix(pool, size, size), c = ab_pool_get_matrix(pool, size, size);
  ABMatrix d = ab_pool_get_matrix(pool, size, size), e = ab_pool_get_matrix(pool, size, size);
  if (!a || !c || !d || !e) return complain("ab_pool_get_matrix");
  if (ab_matrix_upload(a, values, true) != AB_OK) return complain("ab_matrix_upload");
  int failed = submit_and_wait(a, c, d, e);
  if (!failed) {
    const double square = first_value(c, values), cube = first_value(e, values);
    printf("C[0][0] = %g (expected %g), E[0][0] = %g (expected %g)\n", square, size * 0.25, cube, size * 0.125 * size);
    failed = square != size * 0.25 || cube != size * 0.125 * size;
  }
  ab_pool_destroy(pool);
  ab_shutdown();
  free(values);
  return failed;
}
