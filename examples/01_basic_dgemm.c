/* SPDX-License-Identifier: MIT
 * A product of two matrices that stay on the device: C = A B, and what is certified of it. Usage: 01_basic_dgemm [size] */
#include <stdio.h>
#include <stdlib.h>

#include "apple_bottom.h"

static int complain(const char* what) {
  fprintf(stderr, "%s: %s\n", what, ab_last_error());
  return 1;
}

static int multiply(int size, double* values) {
  ABMatrix a = ab_matrix_create(size, size);
  ABMatrix b = ab_matrix_create(size, size);
  ABMatrix c = ab_matrix_create(size, size);
  if (!a || !b || !c) return complain("ab_matrix_create");
  for (long i = 0; i < (long)size * size; ++i) values[i] = (double)(i % 17) - 8.0;
  if (ab_matrix_upload(a, values, true) != AB_OK) return complain("ab_matrix_upload");
  if (ab_matrix_upload(b, values, true) != AB_OK) return complain("ab_matrix_upload");
  if (ab_dgemm(a, b, c) != AB_OK) return complain("ab_dgemm");
  if (ab_matrix_download(c, values, true) != AB_OK) return complain("ab_matrix_download");
  ab_matrix_destroy(a);
  ab_matrix_destroy(b);
  ab_matrix_destroy(c);
  return 0;
}

/* The integers above make every sum exact, so the first entry has one right value. */
static double first_entry(int size) {
  double sum = 0.0;
  for (long k = 0; k < size; ++k) sum += ((double)(k % 17) - 8.0) * ((double)((k * size) % 17) - 8.0);
  return sum;
}

int main(int count, char** arguments) {
  const int size = count > 1 ? atoi(arguments[1]) : 256;
  if (size < 1 || size > 20000) {
    fprintf(stderr, "usage: %s [size from 1 to 20000]\n", arguments[0]);
    return 2;
  }
  double* values = malloc(sizeof(double) * (size_t)size * (size_t)size);
  if (!values) return 1;
  if (ab_init() != AB_OK) return complain("ab_init");
  int failed = multiply(size, values);
  ABProduct product = {.struct_size = sizeof product};
  if (!failed && ab_last_product(&product) != AB_OK) failed = complain("ab_last_product");
  if (!failed) {
    printf("%d x %d on %s: C[0][0] = %g (expected %g), %d moduli, ", size, size, ab_device_name(), values[0], first_entry(size),
           product.moduli);
    printf("certified |error| <= %g * 2^-53 |A||B|\n", product.bound);
    failed = values[0] != first_entry(size);
  }
  ab_shutdown();
  free(values);
  return failed;
}
