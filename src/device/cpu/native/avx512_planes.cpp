// SPDX-License-Identifier: MIT
// Residues of a block of results -> result planes of bytes, as the common reconstruction reads them (docs/numerics.md 11.2).
#include <immintrin.h>

#include "device/cpu/native/result_row.hpp"
#include "device/cpu/native/text.hpp"

namespace ab::device::native {
namespace {

// Residues of 32 entries as they stand in result planes: symmetric, the residue of x itself; `before` is added.
__m512i canonical_residues(__m512i r, __m512i before, const ModulusConstants& c) {
  if (c.m % 2 == 0) {
    const __m512i sum = _mm512_add_epi16(r, before);
    return _mm512_srai_epi16(_mm512_slli_epi16(sum, 8), 8);
  }
  const __m512i modulus = _mm512_set1_epi32(c.modulus_words);
  const __m512i quotient = _mm512_mullo_epi16(r, _mm512_set1_epi32(c.canonical_inverse_words));
  __m512i x = _mm512_sub_epi16(_mm512_mulhi_epi16(r, _mm512_set1_epi32(c.canonical_words)), _mm512_mulhi_epi16(quotient, modulus));
  x = _mm512_add_epi16(x, before);
  const __m512i highest = _mm512_set1_epi16(static_cast<short>((c.m + 1) / 2 - 1)),
                lowest = _mm512_set1_epi16(static_cast<short>(-(c.m / 2)));
  for (int i = 0; i < 2; ++i) {
    x = _mm512_mask_sub_epi16(x, _mm512_cmpgt_epi16_mask(x, highest), x, modulus);
    x = _mm512_mask_add_epi16(x, _mm512_cmplt_epi16_mask(x, lowest), x, modulus);
  }
  return x;
}

struct ResultPlane {
  std::int8_t* at;  // of one modulus and part
  Index column_bytes, rows, columns;
  bool accumulate;
};

template <Which which>
void write_plane_row(const ResultPlane& plane, const Row& row, const ModulusConstants& c, Index i, Index j) {
  const Index count = plane.rows - i;
  const auto mask = static_cast<__mmask16>(count >= 16 ? 0xFFFF : (1 << count) - 1);
  std::int8_t* at[2];
  __m512i before = _mm512_setzero_si512();
  for (Index h = 0; h < 2; ++h) {
    at[h] = j + 16 * h < plane.columns ? plane.at + (j + 16 * h) * plane.column_bytes + i : nullptr;
    if (!plane.accumulate || at[h] == nullptr) continue;
    const __m512i old = _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(mask, at[h]));
    before =
        h == 0 ? _mm512_and_si512(old, _mm512_set1_epi32(0xFFFF)) : _mm512_mask_blend_epi16(0xAAAAAAAA, before, _mm512_slli_epi32(old, 16));
  }
  const __m512i x = canonical_residues(residues_at<which>(row, 0), before, c);
  if (at[0] != nullptr) _mm_mask_storeu_epi8(at[0], mask, _mm512_cvtepi32_epi8(x));
  if (at[1] != nullptr) _mm_mask_storeu_epi8(at[1], mask, _mm512_cvtepi32_epi8(_mm512_srli_epi32(x, 16)));
}

}  // namespace

void write_planes(void* const* buffers, const BlockResults& b, int l) {
  const auto* const p = static_cast<const text::modular_params*>(buffers[4]);
  const Index column_bytes = 4 * static_cast<Index>(p->row_words), rows = p->left_vectors, columns = p->right_vectors;
  const Index parts = b.products == 3 ? 2 : 1;
  auto* const planes = static_cast<std::int8_t*>(buffers[3]) + l * parts * columns * column_bytes;
  const ResultPlane re{planes, column_bytes, rows, columns, p->accumulate != 0};
  const ResultPlane im{planes + columns * column_bytes, column_bytes, rows, columns, p->accumulate != 0};
  const ModulusConstants& c = b.constants->moduli[l];
  const Index right_end = b.right_tiles.first + b.right_tiles.count;
  const std::int8_t* at = b.at;
  for (Index jt = b.right_tiles.first; jt < right_end; jt += 2) {
    for (Index it = 0; it < b.left_tiles.count; ++it, at += pair_entries) {
      const Index i = (b.left_tiles.first + it) * tile_vectors, j = jt * tile_vectors;
      if (i >= rows) continue;
      for (Index r = 0; r < tile_vectors && j + r < columns; ++r) {
        const Row row{at + 32 * r, 0, b.product_stride};
        if (b.products == 1) {
          write_plane_row<Which::Real>(re, row, c, i, j + r);
        } else {
          write_plane_row<Which::RealPart>(re, row, c, i, j + r);
          write_plane_row<Which::ImaginaryPart>(im, row, c, i, j + r);
        }
      }
    }
  }
}

}  // namespace ab::device::native
