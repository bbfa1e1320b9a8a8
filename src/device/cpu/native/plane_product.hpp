// SPDX-License-Identifier: MIT
// Modular products on residue planes in the ordinary layout (docs/numerics.md 11.2), block after block of the result. An instruction
// set brings three steps, each called for a whole panel, so nothing of it need be inlined here.
#pragma once
#include <cstdint>

#include "device/cpu/native/native.hpp"

namespace ab::device::native {

/// Terms of neighbouring vectors, residues of one byte.
struct PlanePart {
  const std::int8_t* at;
  Index stride;   // from a vector to the next
  Index vectors;  // that exist; a panel is filled up with zero vectors
  Index terms;    // a multiple of 64
};

/// Two packed panels: sums[j * sums_stride + i] += left vector i times right vector j.
struct Panels {
  const std::byte* left;
  const std::byte* right;
  Index left_vectors;   // a multiple of PlaneSteps::left_unit
  Index right_vectors;  // and of right_unit
  Index terms;
  std::int32_t* sums;
  Index sums_stride;
};

struct PlaneSteps {
  Index left_unit, right_unit;  // vectors of a register tile; divisors of 16 and 24
  void (*pack)(const PlanePart& from, Index vectors, std::byte* to);
  void (*multiply)(const Panels& panels);
  void (*reduce)(std::int32_t* sums, Index count, std::int32_t m);  // to |sum| <= m / 2, the same mod m; `count` a multiple of 8
};

/// The launches modular_gemm_i8 (products 1) and modular_gemm_i8_3m (3).
void multiply_planes(const Launch& launch, const PlaneSteps& steps, int products);

}  // namespace ab::device::native
