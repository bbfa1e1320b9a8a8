// SPDX-License-Identifier: MIT
// The kernel fp64_product: a product of matrices by a library of the device's vendor, in that library's own FP64. Its bits are nobody's
// promise. Loading it throws Error(ShaderCompile) where the library is missing or does not work.
#pragma once
#include <cstdint>

#include "core/types.hpp"

namespace ab::device {

inline constexpr const char* fp64_product_name = "fp64_product";

/// Last argument after the slices of A, B and C: C = alpha op(A) op(B) + beta C, column-major.
struct Fp64Product {
  std::int32_t m, n, k;
  std::int32_t lda, ldb, ldc;
  Op op_a, op_b;
  std::uint8_t words;  // of an entry: 1, or 2 for complex
  double alpha[2], beta[2];
};

}  // namespace ab::device
