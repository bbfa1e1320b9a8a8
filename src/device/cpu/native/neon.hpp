// SPDX-License-Identifier: MIT
// What the two NEON files share. For files built for Armv8.2 with dot products or more.
#pragma once
#include <arm_neon.h>

#include "device/cpu/native/plane_product.hpp"

namespace ab::device::native {
namespace {

// Twice, because the first quotient, up to 2^30 / 173, may be off by one; the second rounds a small one, at least 1 / 2m from a tie.
inline void reduce_sums(std::int32_t* sums, Index count, std::int32_t m) {
  const float32x4_t reciprocal = vdupq_n_f32(1.0f / static_cast<float>(m));
  const int32x4_t modulus = vdupq_n_s32(m);
  for (Index i = 0; i < count; i += 4) {
    int32x4_t x = vld1q_s32(sums + i);
    for (int turn = 0; turn < 2; ++turn) {
      x = vmlsq_s32(x, vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(x), reciprocal)), modulus);
    }
    vst1q_s32(sums + i, x);
  }
}

}  // namespace

/// The steps with 8-bit matrix products, for processors that have them.
extern const PlaneSteps neon_i8mm_steps;

}  // namespace ab::device::native
