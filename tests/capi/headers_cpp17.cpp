// SPDX-License-Identifier: MIT
// The public headers as C++17, also inside extern "C", as programs written for a C header include them.
extern "C" {
#include "apple_bottom.h"
#include "apple_bottom_device.h"
}
#include "apple_bottom_blas.h"

static_assert(sizeof(ab_complex) == 2 * sizeof(double) && alignof(ab_complex) == alignof(double));

int use_the_headers_from_cpp(ABMatrix a, ABMatrix c) {
  const ab_complex one = 1.0;
  ab_complex value = 0.0;
  ab_zgemm_blas('N', 'N', 1, 1, 1, one, &one, 1, &one, 1, one, &value, 1);
  return ab_dgemm(a, a, c) == AB_OK && ab_set_precision(AB_PRECISION_FP64) == AB_OK;
}
