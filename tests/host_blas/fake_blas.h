/* SPDX-License-Identifier: MIT
 * What the fake BLAS libraries of the tests remember of a call. */
#ifndef AB_TESTS_FAKE_BLAS_H
#define AB_TESTS_FAKE_BLAS_H
#include <stddef.h>

struct fake_call {
  const char* name;
  char letters[2];
  int sizes[3];
  int strides[3];
  double alpha, beta; /* real parts */
  const void *a, *b, *c;
  size_t lengths[2];
  int order;
  int transposes[2];
};

/* exported by each: const struct fake_call* fake_last_call(void); void fake_set_hook(void (*)(void)); */
#endif
