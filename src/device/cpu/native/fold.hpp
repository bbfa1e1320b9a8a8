// SPDX-License-Identifier: MIT
// 32-bit sums of one modulus -> residues of a byte (docs/cpu_engine.md). For AVX-512 files only.
#pragma once
#include <immintrin.h>

#include "device/cpu/native/avx512.hpp"

namespace ab::device::native {
namespace {

/// Sums that wait to be folded: pairs of 16 x 16 tiles (right vector by left vector), the second right tile 256 sums further on.
struct Pending {
  const std::int32_t* sums;
  std::int16_t* partial;
  std::int8_t* results;
  int rows;         // 16 a pair of tiles
  __mmask32 added;  // all: add what is in partial; none: the first chunk
};

enum class Parity { Even, Odd };  // of the modulus; 256 is the even one
enum class Chunk { Last, Other };

struct FoldConstants {
  __m512i inverse, minus_modulus, inverse_words, modulus_words, offset;
  explicit FoldConstants(const ModulusConstants& c)
      : inverse(_mm512_set1_epi32(c.fold_inverse)),
        minus_modulus(_mm512_set1_epi32(c.fold_minus_modulus)),
        inverse_words(_mm512_set1_epi32(c.inverse_words)),
        modulus_words(_mm512_set1_epi32(c.modulus_words)),
        offset(_mm512_set1_epi32(c.offset_words)) {}
};

/// Left vectors 0..15 with right vectors r and 16 + r: sum 2^-16 mod m, |.| <= |sum| / 2^16 + m / 2 (even: the sum modulo 2^16), added
/// up over chunks on top of an offset that keeps them positive; of the last chunk -(that) 2^-16 mod m, in a byte (even: the low byte).
template <Parity parity, Chunk chunk>
inline __attribute__((always_inline)) void fold_row(const Pending& p, const FoldConstants& c) {
  const __m512i low = _mm512_load_si512(p.sums), high = _mm512_load_si512(p.sums + 256);
  const __m512i before = _mm512_mask_loadu_epi16(c.offset, p.added, p.partial);
  __m512i folded;
  if constexpr (parity == Parity::Even) {
    folded = _mm512_mask_blend_epi16(0xAAAAAAAA, low, _mm512_slli_epi32(high, 16));
  } else {
    const __m512i x = _mm512_dpwssd_epi32(low, _mm512_mullo_epi16(low, c.inverse), c.minus_modulus);
    const __m512i y = _mm512_dpwssd_epi32(high, _mm512_mullo_epi16(high, c.inverse), c.minus_modulus);
    folded = _mm512_mask_blend_epi16(0xAAAAAAAA, _mm512_srli_epi32(x, 16), y);
  }
  folded = _mm512_add_epi16(before, folded);
  if constexpr (chunk == Chunk::Other) {
    _mm512_store_si512(p.partial, folded);
  } else {
    if constexpr (parity == Parity::Odd) folded = _mm512_mulhi_epi16(_mm512_mullo_epi16(folded, c.inverse_words), c.modulus_words);
    _mm256_store_si256(reinterpret_cast<__m256i*>(p.results), _mm512_cvtepi16_epi8(folded));
  }
}

/// Folds one row more; `place` counts the rows done of the current pair of tiles.
template <Parity parity, Chunk chunk>
inline __attribute__((always_inline)) void fold_next(Pending& pending, int& place, const FoldConstants& c) {
  fold_row<parity, chunk>(pending, c);
  pending.sums += 16;
  pending.partial += 32;
  pending.results += 32;
  if (++place == 16) {
    pending.sums += 256;
    place = 0;
  }
}

template <Parity parity, Chunk chunk>
inline void fold_all(Pending& pending, int& place, const FoldConstants& c) {
  for (; pending.rows > 0; --pending.rows) fold_next<parity, chunk>(pending, place, c);
}

/// Partial results mod m, |.| <= m beside the offset, for `count` (a multiple of 32) of them below 2^15.
inline void reduce_partial(std::int16_t* results, Index count, const ModulusConstants& c) {
  if (c.m % 2 == 0) return;  // any sum modulo 2^16 will do
  const __m512i reciprocal = _mm512_set1_epi32(c.rounded_reciprocal), modulus = _mm512_set1_epi32(c.modulus_words);
  const __m512i offset = _mm512_set1_epi32(c.offset_words);
  for (Index i = 0; i < count; i += 32) {
    const __m512i x = _mm512_load_si512(results + i);
    const __m512i quotient = _mm512_mulhrs_epi16(x, reciprocal);
    _mm512_store_si512(results + i, _mm512_add_epi16(offset, _mm512_sub_epi16(x, _mm512_mullo_epi16(quotient, modulus))));
  }
}

/// Chunk after chunk of a block; partial sums are reduced before they could leave 16 bits.
inline void multiply_chunks(const ModularBlock& b, void (*other)(const ModularBlock&, Index), void (*last)(const ModularBlock&, Index)) {
  for (Index chunk = 0; chunk + 1 < b.chunks.count; ++chunk) {
    if (chunk > 0 && chunk % chunks_between_reductions == 0) reduce_partial(b.partial, entries_of(b), *b.modulus);
    other(b, chunk);
  }
  last(b, b.chunks.count - 1);
}

}  // namespace
}  // namespace ab::device::native
