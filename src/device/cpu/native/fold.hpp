// SPDX-License-Identifier: MIT
// 32-bit sums of one modulus -> 16-bit residues, two instructions for 16 of them (docs/cpu_engine.md). For AVX-512 files only.
#pragma once
#include <immintrin.h>

#include "device/cpu/native/avx512.hpp"

namespace ab::device::native {
namespace {

/// Sums that wait to be folded: pairs of 16 x 16 tiles (right vector by left vector), the second right tile 256 sums further on.
struct Pending {
  const std::int32_t* sums;
  std::int16_t* results;
  int rows;         // 16 a pair of tiles
  __mmask32 added;  // all: add to the results that are there; none: set them
};

struct FoldConstants {
  __m512i inverse, minus_modulus;
  explicit FoldConstants(const ModulusConstants& c)
      : inverse(_mm512_set1_epi32(c.fold_inverse)), minus_modulus(_mm512_set1_epi32(c.fold_minus_modulus)) {}
};

enum class Parity { Even, Odd };  // of the modulus; 256 is the even one

/// Left vectors 0..15 with right vectors r and 16 + r. Odd: sum 2^-16 mod m, |.| <= |sum| / 2^16 + m / 2. Even: the low byte.
template <Parity parity>
inline __attribute__((always_inline)) void fold_row(const std::int32_t* sums, std::int16_t* results, const FoldConstants& c,
                                                    __mmask32 added) {
  const __m512i low = _mm512_load_si512(sums), high = _mm512_load_si512(sums + 256);
  const __m512i before = _mm512_maskz_loadu_epi16(added, results);
  __m512i folded;
  if constexpr (parity == Parity::Even) {
    const __m512i both = _mm512_mask_blend_epi16(0xAAAAAAAA, low, _mm512_slli_epi32(high, 16));
    folded = _mm512_srai_epi16(_mm512_slli_epi16(both, 8), 8);
  } else {
    const __m512i x = _mm512_dpwssd_epi32(low, _mm512_mullo_epi16(low, c.inverse), c.minus_modulus);
    const __m512i y = _mm512_dpwssd_epi32(high, _mm512_mullo_epi16(high, c.inverse), c.minus_modulus);
    folded = _mm512_mask_blend_epi16(0xAAAAAAAA, _mm512_srli_epi32(x, 16), y);
  }
  _mm512_store_si512(results, _mm512_add_epi16(before, folded));
}

/// Folds `rows` rows more; `place` counts the rows done of the current pair of tiles.
template <Parity parity>
inline __attribute__((always_inline)) void fold_next(Pending& pending, int& place, const FoldConstants& c) {
  fold_row<parity>(pending.sums, pending.results, c, pending.added);
  pending.sums += 16;
  pending.results += 32;
  if (++place == 16) {
    pending.sums += 256;
    place = 0;
  }
}

template <Parity parity>
inline void fold_all(Pending& pending, int& place, const FoldConstants& c) {
  for (; pending.rows > 0; --pending.rows) fold_next<parity>(pending, place, c);
}

/// results mod m, |.| <= m / 2 + 1, for `count` (a multiple of 32) results below 2^15.
inline void reduce_results(std::int16_t* results, Index count, const ModulusConstants& c) {
  if (c.m == 256) {
    for (Index i = 0; i < count; i += 32) {
      const __m512i x = _mm512_load_si512(results + i);
      _mm512_store_si512(results + i, _mm512_srai_epi16(_mm512_slli_epi16(x, 8), 8));
    }
    return;
  }
  const __m512i reciprocal = _mm512_set1_epi32(c.rounded_reciprocal), modulus = _mm512_set1_epi32(c.modulus_words);
  for (Index i = 0; i < count; i += 32) {
    const __m512i x = _mm512_load_si512(results + i);
    const __m512i quotient = _mm512_mulhrs_epi16(x, reciprocal);
    _mm512_store_si512(results + i, _mm512_sub_epi16(x, _mm512_mullo_epi16(quotient, modulus)));
  }
}

}  // namespace
}  // namespace ab::device::native
