// SPDX-License-Identifier: MIT
// Modular products on NEON with dot products (sdot: four sums of four byte products), or with matrix products where there are any.
#include "device/cpu/native/neon.hpp"

#include "device/cpu/native/permission.hpp"

namespace ab::device::native {
namespace {

constexpr Index tile = 4;         // 4 x 4 sums of four lanes
constexpr Index strip_rows = 16;  // left vectors that stay in the first-level cache, chosen

void copy(const PlanePart& from, Index vectors, std::byte* to) {
  auto* at = reinterpret_cast<std::int8_t*>(to);
  for (Index v = 0; v < vectors; ++v) {
    for (Index k = 0; k < from.terms; k += 16, at += 16) {
      vst1q_s8(at, v < from.vectors ? vld1q_s8(from.at + v * from.stride + k) : vdupq_n_s8(0));
    }
  }
}

inline int32x4_t add_lanes(const int32x4_t (&x)[tile]) {
  return vpaddq_s32(vpaddq_s32(x[0], x[1]), vpaddq_s32(x[2], x[3]));
}

inline void multiply_tile(const std::int8_t* left, const std::int8_t* right, Index terms, std::int32_t* sums, Index sums_stride) {
  int32x4_t acc[tile][tile];
#pragma GCC unroll 4
  for (int j = 0; j < tile; ++j) {
#pragma GCC unroll 4
    for (int i = 0; i < tile; ++i) acc[j][i] = vdupq_n_s32(0);
  }
  for (Index k = 0; k < terms; k += 16) {
    int8x16_t x[tile];
#pragma GCC unroll 4
    for (int i = 0; i < tile; ++i) x[i] = vld1q_s8(left + i * terms + k);
#pragma GCC unroll 4
    for (int j = 0; j < tile; ++j) {
      const int8x16_t y = vld1q_s8(right + j * terms + k);
#pragma GCC unroll 4
      for (int i = 0; i < tile; ++i) acc[j][i] = vdotq_s32(acc[j][i], x[i], y);
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < tile; ++j) {
    std::int32_t* const to = sums + j * sums_stride;
    vst1q_s32(to, vaddq_s32(vld1q_s32(to), add_lanes(acc[j])));
  }
}

void multiply(const Panels& p) {
  const auto* const left = reinterpret_cast<const std::int8_t*>(p.left);
  const auto* const right = reinterpret_cast<const std::int8_t*>(p.right);
  for (Index strip = 0; strip < p.left_vectors; strip += strip_rows) {
    const Index end = strip + strip_rows < p.left_vectors ? strip + strip_rows : p.left_vectors;
    for (Index j = 0; j < p.right_vectors; j += tile) {
      for (Index i = strip; i < end; i += tile) {
        multiply_tile(left + i * p.terms, right + j * p.terms, p.terms, p.sums + j * p.sums_stride + i, p.sums_stride);
      }
    }
  }
}

constexpr PlaneSteps dot_steps{tile, tile, &copy, &multiply, &reduce_sums};

constexpr Kernel dot_kernels[] = {{"modular_gemm_i8", [](const Launch& launch) { multiply_planes(launch, dot_steps, 1); }},
                                  {"modular_gemm_i8_3m", [](const Launch& launch) { multiply_planes(launch, dot_steps, 3); }},
                                  {nullptr, nullptr}};
constexpr Kernel i8mm_kernels[] = {{"modular_gemm_i8", [](const Launch& launch) { multiply_planes(launch, neon_i8mm_steps, 1); }},
                                   {"modular_gemm_i8_3m", [](const Launch& launch) { multiply_planes(launch, neon_i8mm_steps, 3); }},
                                   {nullptr, nullptr}};
constexpr Engine dot_engine{"neon-dotprod", dot_kernels, 1, 0, 0};
constexpr Engine i8mm_engine{"neon-i8mm", i8mm_kernels, 1, 0, 0};

}  // namespace

const Engine* neon_engine() {
  if (has_matrix_multiply()) return &i8mm_engine;
  return has_dot_product() ? &dot_engine : nullptr;
}

}  // namespace ab::device::native
