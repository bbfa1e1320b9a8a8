// SPDX-License-Identifier: MIT
// What the AVX-512 files share: the layout of residues, one block of a modular product, and the steps around it.
//
// A residue plane is a row of tiles: 16 vectors, all terms; a tile is a row of blocks of 64 terms, 1024 bytes each.
//   right vectors: byte 64 j + b is vector j, term term_of(b)
//   left vectors:  byte 64 q + 4 i + e is vector i, term term_of(4 q + e)
// so four neighbouring terms of a left vector meet the same four of a right one in every matrix instruction (VNNI order).
#pragma once
#include <cstdint>

#include "device/cpu/native/constants.hpp"
#include "device/cpu/native/native.hpp"

namespace ab::device::native {

inline constexpr Index tile_vectors = 16, block_terms = 64, block_bytes = tile_vectors * block_terms;
inline constexpr Index chunk_blocks = 16;   // 1024 terms: a pair of right tiles stays in the first-level cache
inline constexpr Index pair_entries = 512;  // results of one left tile and two right tiles

struct Tiles {
  Index first, count;
};

/// The product of some left and right tiles modulo one number.
struct ModularBlock {
  const std::int8_t* left;  // a residue plane
  const std::int8_t* right;
  Index inner_blocks;  // of 64 terms, in a tile
  Tiles left_tiles;
  Tiles right_tiles;  // the first one is even
  Index right_total;  // tiles of the plane
  const ModulusConstants* modulus;
  int chunks_between_reductions;
  std::int16_t* results;  // 512 for each pair of right tiles and left tile, the left tile running fastest: entry
                          // 32 r + 2 i + h is left vector i with right vector 16 h + r
  std::byte* scratch;     // multiply_scratch_bytes
};
inline constexpr std::size_t multiply_scratch_bytes = 16 * 1024;
inline constexpr std::size_t product_scratch_bytes = 16 * 1024 * 1024;  // a thread, for the residues of its block of results

/// Sets results; |result| <= 129 + chunks_between_reductions * 384.
using MultiplyBlock = void (*)(const ModularBlock& block);

/// How a thread gets ready for MultiplyBlock and leaves it.
struct Multiplier {
  MultiplyBlock multiply;
  void (*enter)();
  void (*leave)();
};

void scan_avx512(const Launch& launch);
void residues_avx512(const Launch& launch);
void modular_gemm_avx512(const Launch& launch, const Multiplier& multiplier, int products);
void crt_product_avx512(const Launch& launch, const Multiplier& multiplier, int products);

}  // namespace ab::device::native
