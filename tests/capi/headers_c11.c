// SPDX-License-Identifier: MIT
// The public headers as C11, the second one first.
#include "apple_bottom_blas.h"

#include "apple_bottom.h"
#include "apple_bottom_device.h"

_Static_assert(sizeof(ab_complex) == 2 * sizeof(double), "interleaved complex storage");
_Static_assert(sizeof(ABStatus) == sizeof(int) && sizeof(ABPrecision) == sizeof(int), "enums are ints of the ABI");

int use_the_headers_from_c(ABMatrix matrix);
int use_the_headers_from_c(ABMatrix matrix) {
  ABProduct product = {0};
  product.struct_size = sizeof product;
  if (!ab_is_initialized() && ab_init() != AB_OK) return 1;
  return ab_last_product(&product) != AB_OK || ab_matrix_zero(matrix) != AB_OK || ab_get_last_dispatch_path() == NULL;
}
