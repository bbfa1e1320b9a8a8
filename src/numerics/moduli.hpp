// SPDX-License-Identifier: MIT
// Moduli families, how many a budget takes, and the constants of residues and reconstruction (docs/numerics.md 7).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "kernels/host.hpp"

namespace ab::numerics {

std::span<const int> family_of(ModuliFamily family);  // 256 255 253 ...; 20, 15 or 14 of them
int limb_bits(ModuliFamily family);                   // 18, 18, 17
int residue_bytes(ModuliFamily family);               // 1, 2, 2

/// Everything the kernels need for one family and budget, built once and kept. Thread-safe, lock-free after the first use.
struct ModuliSet {
  ModuliFamily family;
  int budget;
  int count;                                // N
  int limbs;                                // of the fractional CRT
  std::vector<kernels::modulus> constants;  // one per modulus, in the layout of kernels/params.h
  kernels::reconstruction product;          // M in limbs, W
};
const ModuliSet& moduli(ModuliFamily family, int budget);

}  // namespace ab::numerics
