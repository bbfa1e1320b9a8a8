/* SPDX-License-Identifier: MIT
 * A C11 program with the installed headers: a product of handles, and one by the library's own BLAS-shaped function. */
#include <stdio.h>
#include <string.h>

#include "apple_bottom.h"
#include "apple_bottom_device.h"

int main(void) {
  const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  double c[4] = {0}, d[4] = {0};
  if (strncmp(ab_version(), "2.", 2) != 0 || ab_init() != AB_OK) return 1;
  ABMatrix A = ab_matrix_create(2, 2), B = ab_matrix_create(2, 2), C = ab_matrix_create(2, 2);
  if (ab_matrix_upload(A, a, false) != AB_OK || ab_matrix_upload(B, b, false) != AB_OK || ab_dgemm(A, B, C) != AB_OK ||
      ab_matrix_download(C, c, false) != AB_OK)
    return printf("%s\n", ab_last_error()), 2;
  ab_dgemm_blas('N', 'N', 2, 2, 2, 1.0, a, 2, b, 2, 0.0, d, 2);
  printf("%g %g %g %g, %g %g %g %g\n", c[0], c[1], c[2], c[3], d[0], d[1], d[2], d[3]);
  return c[0] == 19 && c[3] == 50 && d[0] == 23 && d[3] == 46 ? 0 : 3;
}
