/* SPDX-License-Identifier: MIT
 * A program that knows BLAS alone: a product, which is ours, and a dot product, which is the host's. */
#include <stdio.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*);
double ddot_(const int*, const double*, const int*, const double*, const int*);

int main(void) {
  const int two = 2, one = 1;
  const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, unit = 1, zero = 0;
  double c[4];
  dgemm_("N", "N", &two, &two, &two, &unit, a, &two, b, &two, &zero, c, &two);
  const double dot = ddot_(&two, a, &one, b, &one);
  printf("%g %g %g %g, %g\n", c[0], c[1], c[2], c[3], dot);
  return c[0] == 23 && c[3] == 46 && dot == 17 ? 0 : 1;
}
