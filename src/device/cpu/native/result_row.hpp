// SPDX-License-Identifier: MIT
// Rows of residues of a result, real or of three products (docs/numerics.md 7.5). For AVX-512 files only.
#pragma once
#include <immintrin.h>

#include "device/cpu/native/avx512_result.hpp"

namespace ab::device::native {
namespace {

// Where the 32 entries (16 left vectors, right vectors r and 16 + r) of a pair of tiles stand, modulus after modulus.
struct Row {
  const std::int8_t* at;
  Index modulus_stride, product_stride;
};

enum class Which { Real, RealPart, ImaginaryPart };

template <Which which>
inline __attribute__((always_inline)) __m512i residues_at(const Row& row, int l) {
  const std::int8_t* const at = row.at + l * row.modulus_stride;
  const auto load = [](const std::int8_t* from) { return _mm512_cvtepi8_epi16(_mm256_load_si256(reinterpret_cast<const __m256i*>(from))); };
  const __m512i x = load(at);
  if constexpr (which == Which::Real) return x;
  const __m512i y = load(at + row.product_stride);
  if constexpr (which == Which::RealPart) return _mm512_sub_epi16(x, y);
  return _mm512_sub_epi16(load(at + 2 * row.product_stride), _mm512_add_epi16(x, y));
}

}  // namespace
}  // namespace ab::device::native
