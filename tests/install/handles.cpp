// SPDX-License-Identifier: MIT
// The installed headers in C++17, and a complex product.
#include <complex>
#include <cstdio>

#include "apple_bottom.h"
#include "apple_bottom_device.h"

int main() {
  const std::complex<double> a(1, 2), b(3, 4), one(1);
  std::complex<double> c;
  ab_zgemm_blas('C', 'N', 1, 1, 1, one, &a, 1, &b, 1, 0, &c, 1);
  std::printf("%g %g, %s\n", c.real(), c.imag(), ab_version());
  return c == std::complex<double>(11, -2) ? 0 : 1;
}
