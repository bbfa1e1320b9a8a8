// SPDX-License-Identifier: MIT
// Panels multiplied by NEON's 8-bit matrix instruction: two right by two left vectors of eight terms each.
#include "device/cpu/native/neon.hpp"

namespace ab::device::native {
namespace {

constexpr Index tile = 8, pairs = tile / 2;  // vectors of either side: 4 x 4 sums of two by two lanes
constexpr Index strip_rows = 16;             // left vectors that stay in the first-level cache, chosen

// Eight terms of a vector beside the same eight of the next one.
void interleave(const PlanePart& from, Index vectors, std::byte* to) {
  auto* at = reinterpret_cast<std::int8_t*>(to);
  for (Index v = 0; v < vectors; v += 2) {
    const std::int8_t* const bytes = from.at + v * from.stride;
    for (Index k = 0; k < from.terms; k += 8, at += 16) {
      const int8x8_t first = v < from.vectors ? vld1_s8(bytes + k) : vdup_n_s8(0);
      const int8x8_t second = v + 1 < from.vectors ? vld1_s8(bytes + from.stride + k) : vdup_n_s8(0);
      vst1q_s8(at, vcombine_s8(first, second));
    }
  }
}

// Adds two neighbouring right vectors' sums with four neighbouring left ones.
inline void add_sums(std::int32_t* sums, Index sums_stride, int32x4_t x, int32x4_t y) {
  vst1q_s32(sums, vaddq_s32(vld1q_s32(sums), vcombine_s32(vget_low_s32(x), vget_low_s32(y))));
  sums += sums_stride;
  vst1q_s32(sums, vaddq_s32(vld1q_s32(sums), vcombine_s32(vget_high_s32(x), vget_high_s32(y))));
}

// `bytes`: of a pair of vectors.
inline void multiply_tile(const std::int8_t* left, const std::int8_t* right, Index bytes, std::int32_t* sums, Index sums_stride) {
  int32x4_t acc[pairs][pairs];
#pragma GCC unroll 4
  for (int j = 0; j < pairs; ++j) {
#pragma GCC unroll 4
    for (int i = 0; i < pairs; ++i) acc[j][i] = vdupq_n_s32(0);
  }
  for (Index k = 0; k < bytes; k += 16) {
    int8x16_t x[pairs];
#pragma GCC unroll 4
    for (int i = 0; i < pairs; ++i) x[i] = vld1q_s8(left + i * bytes + k);
#pragma GCC unroll 4
    for (int j = 0; j < pairs; ++j) {
      const int8x16_t y = vld1q_s8(right + j * bytes + k);
#pragma GCC unroll 4
      for (int i = 0; i < pairs; ++i) acc[j][i] = vmmlaq_s32(acc[j][i], y, x[i]);
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < pairs; ++j) {
    std::int32_t* const to = sums + 2 * j * sums_stride;
    add_sums(to, sums_stride, acc[j][0], acc[j][1]);
    add_sums(to + 4, sums_stride, acc[j][2], acc[j][3]);
  }
}

void multiply(const Panels& p) {
  const Index bytes = 2 * p.terms;
  const auto* const left = reinterpret_cast<const std::int8_t*>(p.left);
  const auto* const right = reinterpret_cast<const std::int8_t*>(p.right);
  for (Index strip = 0; strip < p.left_vectors; strip += strip_rows) {
    const Index end = strip + strip_rows < p.left_vectors ? strip + strip_rows : p.left_vectors;
    for (Index j = 0; j < p.right_vectors; j += tile) {
      for (Index i = strip; i < end; i += tile) {
        multiply_tile(left + i * p.terms, right + j * p.terms, bytes, p.sums + j * p.sums_stride + i, p.sums_stride);
      }
    }
  }
}

}  // namespace

const PlaneSteps neon_i8mm_steps{tile, tile, &interleave, &multiply, &reduce_sums};

}  // namespace ab::device::native
