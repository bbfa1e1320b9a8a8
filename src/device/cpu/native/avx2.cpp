// SPDX-License-Identifier: MIT
// Modular products on AVX2: bytes are widened to 16 bits once a panel, and pairs of products are added up exactly in 32 bits.
#include <immintrin.h>

#include "device/cpu/native/avx2.hpp"
#include "device/cpu/native/permission.hpp"
#include "device/cpu/native/plane_product.hpp"

namespace ab::device::native {
namespace {

constexpr Index tile_rows = 4, tile_columns = 2;  // left and right vectors: eight sums of eight lanes
constexpr Index strip_rows = 16;                  // left vectors that stay in the first-level cache, chosen

void widen(const PlanePart& from, Index vectors, std::byte* to) {
  auto* at = reinterpret_cast<__m256i*>(to);
  for (Index v = 0; v < vectors; ++v) {
    const bool exists = v < from.vectors;
    const auto* const bytes = reinterpret_cast<const __m128i*>(from.at + v * from.stride);
    for (Index k = 0; k < from.terms / 16; ++k) {
      _mm256_store_si256(at++, exists ? _mm256_cvtepi8_epi16(_mm_loadu_si128(bytes + k)) : _mm256_setzero_si256());
    }
  }
}

// The sums of each register's lanes.
inline __m128i add_lanes(const __m256i (&x)[tile_rows]) {
  const __m256i sums = _mm256_hadd_epi32(_mm256_hadd_epi32(x[0], x[1]), _mm256_hadd_epi32(x[2], x[3]));
  return _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
}

// `words`: 256-bit words of a vector.
inline void multiply_tile(const __m256i* left, const __m256i* right, Index words, std::int32_t* sums, Index sums_stride) {
  __m256i acc[tile_columns][tile_rows];
#pragma GCC unroll 2
  for (int j = 0; j < tile_columns; ++j) {
#pragma GCC unroll 4
    for (int i = 0; i < tile_rows; ++i) acc[j][i] = _mm256_setzero_si256();
  }
  for (Index k = 0; k < words; ++k) {
    const __m256i y0 = _mm256_load_si256(right + k), y1 = _mm256_load_si256(right + words + k);
#pragma GCC unroll 4
    for (int i = 0; i < tile_rows; ++i) {
      __m256i x = _mm256_load_si256(left + i * words + k);
      __asm__("" : "+x"(x));  // GCC 12 would load it for each product, do all products first, and run out of registers
      acc[0][i] = _mm256_add_epi32(acc[0][i], _mm256_madd_epi16(x, y0));
      acc[1][i] = _mm256_add_epi32(acc[1][i], _mm256_madd_epi16(x, y1));
      __asm__("" : "+x"(acc[0][i]), "+x"(acc[1][i]));
    }
  }
#pragma GCC unroll 2
  for (int j = 0; j < tile_columns; ++j) {
    auto* const to = reinterpret_cast<__m128i*>(sums + j * sums_stride);
    _mm_store_si128(to, _mm_add_epi32(_mm_load_si128(to), add_lanes(acc[j])));
  }
}

void multiply(const Panels& p) {
  const Index words = p.terms / 16;
  const auto* const left = reinterpret_cast<const __m256i*>(p.left);
  const auto* const right = reinterpret_cast<const __m256i*>(p.right);
  for (Index strip = 0; strip < p.left_vectors; strip += strip_rows) {
    const Index end = strip + strip_rows < p.left_vectors ? strip + strip_rows : p.left_vectors;
    for (Index j = 0; j < p.right_vectors; j += tile_columns) {
      for (Index i = strip; i < end; i += tile_rows) {
        multiply_tile(left + i * words, right + j * words, words, p.sums + j * p.sums_stride + i, p.sums_stride);
      }
    }
  }
}

// Twice, because the first quotient, up to 2^30 / 173, may be off by one; the second rounds a small one, at least 1 / 2m from a tie.
void reduce(std::int32_t* sums, Index count, std::int32_t m) {
  const __m256 reciprocal = _mm256_set1_ps(1.0f / static_cast<float>(m));
  const __m256i modulus = _mm256_set1_epi32(m);
  for (Index i = 0; i < count; i += 8) {
    auto* const at = reinterpret_cast<__m256i*>(sums + i);
    __m256i x = _mm256_load_si256(at);
    for (int turn = 0; turn < 2; ++turn) {
      const __m256i quotient = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(x), reciprocal));
      x = _mm256_sub_epi32(x, _mm256_mullo_epi32(quotient, modulus));
    }
    _mm256_store_si256(at, x);
  }
}

constexpr PlaneSteps steps{tile_rows, tile_columns, &widen, &multiply, &reduce};

constexpr Kernel kernels[] = {{"residues_i8", &residues_avx2},
                              {"modular_gemm_i8", [](const Launch& launch) { multiply_planes(launch, steps, 1); }},
                              {"modular_gemm_i8_3m", [](const Launch& launch) { multiply_planes(launch, steps, 3); }},
                              {"reconstruct_i8", &reconstruct_avx2},
                              {nullptr, nullptr}};
constexpr Engine engine{"avx2-int8", kernels, 1, 0, 0};

}  // namespace

const Engine* avx2_engine() {
  return has_avx2() ? &engine : nullptr;
}

}  // namespace ab::device::native
