// SPDX-License-Identifier: MIT
// The exported names under test, as a caller declares them, and operands that show which entry went where.
#pragma once
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "apple_bottom_blas.h"
#include "core/types.hpp"

extern "C" {
using DgemmFortran = void(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
                          const double*, const int*, const double*, double*, const int*);
using ZgemmFortran = void(const char*, const char*, const int*, const int*, const int*, const ab::Complex*, const ab::Complex*, const int*,
                          const ab::Complex*, const int*, const ab::Complex*, ab::Complex*, const int*);
DgemmFortran dgemm_, ab_dgemm_;
ZgemmFortran zgemm_, ab_zgemm_;
void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
void cblas_zgemm(int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*, int);
}

namespace ab::test {

struct Sizes {
  int m = 2, n = 3, k = 4, lda = 4, ldb = 4, ldc = 4;
};

template <Scalar T>
struct Matrices2 {  // filled with small integers, so that products are exact in every order
  std::vector<T> a, b, c;
  Matrices2() {
    for (int i = 0; i < 16; ++i) {
      a.push_back(value(i * 5 % 7 - 3, i % 3));
      b.push_back(value(i * 3 % 5 - 2, i % 2 + 1));
      c.push_back(value(i, -i));
    }
  }
  static T value(int re, int im) {
    if constexpr (std::same_as<T, double>) {
      return re + 0 * im;
    } else {
      return {static_cast<double>(re), static_cast<double>(im)};
    }
  }
};

}  // namespace ab::test
