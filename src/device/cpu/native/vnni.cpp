// SPDX-License-Identifier: MIT
// Modular products on AVX-512 VNNI, for processors without AMX or systems that refuse it: 8 right by 32 left vectors at a time.
// The instruction multiplies unsigned by signed bytes: left bytes go in as left + 128, and 128 times the right sums come off.
#include <immintrin.h>

#include "device/cpu/native/fold.hpp"
#include "device/cpu/native/permission.hpp"

namespace ab::device::native {
namespace {

constexpr int rows_at_once = 8;

// 128 times the sum of each right vector's terms, for the 16 vectors of a tile.
void sum_terms(const std::int8_t* right, Index blocks, std::int32_t* sums) {
  const __m512i ones = _mm512_set1_epi8(1);
  for (int j = 0; j < 16; ++j) {
    __m512i sum = _mm512_setzero_si512();
    for (Index b = 0; b < blocks; ++b) sum = _mm512_dpbusd_epi32(sum, ones, _mm512_loadu_si512(right + b * block_bytes + 64 * j));
    sums[j] = 128 * _mm512_reduce_add_epi32(sum);
  }
}

struct Panel {
  const std::int8_t* right;  // from its first row on
  const std::int8_t* left0;
  const std::int8_t* left1;
  Index blocks;
  const std::int32_t* corrections;  // of the rows
};

// sums0, sums1: rows of 16 sums, one a right vector.
void multiply_rows(const Panel& p, std::int32_t* sums0, std::int32_t* sums1) {
  const __m512i flip = _mm512_set1_epi8(-128);
  __m512i acc0[rows_at_once], acc1[rows_at_once];
#pragma GCC unroll 8
  for (int r = 0; r < rows_at_once; ++r) acc0[r] = acc1[r] = _mm512_set1_epi32(-p.corrections[r]);
  for (Index b = 0; b < p.blocks; ++b) {
    for (int q = 0; q < 16; ++q) {
      const Index at = b * block_bytes + 64 * q;
      const __m512i x0 = _mm512_xor_si512(_mm512_loadu_si512(p.left0 + at), flip);
      const __m512i x1 = _mm512_xor_si512(_mm512_loadu_si512(p.left1 + at), flip);
#pragma GCC unroll 8
      for (int r = 0; r < rows_at_once; ++r) {
        std::int32_t four;
        __builtin_memcpy(&four, p.right + b * block_bytes + 64 * r + 4 * q, 4);
        const __m512i y = _mm512_set1_epi32(four);
        acc0[r] = _mm512_dpbusd_epi32(acc0[r], x0, y);
        acc1[r] = _mm512_dpbusd_epi32(acc1[r], x1, y);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows_at_once; ++r) {
    _mm512_store_si512(sums0 + 16 * r, acc0[r]);
    _mm512_store_si512(sums1 + 16 * r, acc1[r]);
  }
}

template <Parity parity, Chunk chunk>
void multiply_chunk(const ModularBlock& b, Index number) {
  const FoldConstants c(*b.modulus);
  auto* const sums = reinterpret_cast<std::int32_t*>(b.scratch);  // left tile, right tile, 256 each
  std::int32_t corrections[32];
  const Index count = blocks_of(b.chunks, number), tile = count * block_bytes, right_end = b.right_tiles.first + b.right_tiles.count;
  std::int8_t* results = b.results;
  std::int16_t* partial = b.partial;
  for (Index jt = b.right_tiles.first; jt < right_end; jt += 2) {
    const std::int8_t* const right = chunk_at(b.right, b.chunks, number) + jt * tile;
    const Index to_second = jt + 1 < b.right.tiles ? tile : 0;
    sum_terms(right, count, corrections);
    sum_terms(right + to_second, count, corrections + 16);
    for (Index it = 0; it < b.left_tiles.count; it += 2) {
      const std::int8_t* const left = chunk_at(b.left, b.chunks, number) + (b.left_tiles.first + it) * tile;
      const bool paired = it + 1 < b.left_tiles.count;
      for (int row = 0; row < 32; row += rows_at_once) {
        const std::int8_t* const from = right + (row < 16 ? 0 : to_second) + 64 * (row % 16);
        std::int32_t* const to = sums + 256 * (row / 16) + 16 * (row % 16);
        multiply_rows({from, left, paired ? left + tile : left, count, corrections + row}, to, to + 512);
      }
      Pending pending{sums, partial, results, paired ? 32 : 16, number > 0 ? ~__mmask32{0} : __mmask32{0}};
      int place = 0;
      fold_all<parity, chunk>(pending, place, c);
      results += paired ? 2 * pair_entries : pair_entries;
      partial += paired ? 2 * pair_entries : pair_entries;
    }
  }
}

void multiply(const ModularBlock& block) {
  if (block.modulus->m % 2 == 0) {
    multiply_chunks(block, &multiply_chunk<Parity::Even, Chunk::Other>, &multiply_chunk<Parity::Even, Chunk::Last>);
  } else {
    multiply_chunks(block, &multiply_chunk<Parity::Odd, Chunk::Other>, &multiply_chunk<Parity::Odd, Chunk::Last>);
  }
}

void nothing() {}

constexpr Multiplier multiplier{&multiply, &nothing, &nothing};

constexpr Kernel kernels[] = {{"scan", &scan_avx512},
                              {"residues_i8", &residues_avx512},
                              {"modular_gemm_i8", [](const Launch& launch) { modular_gemm_avx512(launch, multiplier, 1); }},
                              {"modular_gemm_i8_3m", [](const Launch& launch) { modular_gemm_avx512(launch, multiplier, 3); }},
                              {"crt_product_i8", [](const Launch& launch) { crt_product_avx512(launch, multiplier, 1); }},
                              {"crt_product_i8_3m", [](const Launch& launch) { crt_product_avx512(launch, multiplier, 3); }},
                              {nullptr, nullptr}};
constexpr Engine engine{"avx512-vnni", kernels, tile_vectors, plane_padding, product_scratch_bytes};

}  // namespace

const Engine* vnni_engine() {
  return has_avx512_vnni() ? &engine : nullptr;
}

}  // namespace ab::device::native
