// SPDX-License-Identifier: MIT
// What the AVX-512 files share: the layout of residues, one block of a modular product, and the steps around it.
//
// A block holds 64 terms of 16 vectors (a tile of them), 1024 bytes. Blocks stand together by chunks of up to 1024 terms: chunk after
// chunk, in a chunk tile after tile, in a tile the chunk's blocks. So what is multiplied together is contiguous, whatever the sizes.
//   right vectors: byte 64 j + b is vector j, term term_of(b)
//   left vectors:  byte 64 q + 4 i + e is vector i, term term_of(4 q + e)
// so four neighbouring terms of a left vector meet the same four of a right one in every matrix instruction (VNNI order).
#pragma once
#include <cstdint>

#include "device/cpu/native/constants.hpp"
#include "device/cpu/native/native.hpp"

namespace ab::device::native {

inline constexpr Index tile_vectors = 16, block_terms = 64, block_bytes = tile_vectors * block_terms;
inline constexpr Index most_chunk_blocks = 16;  // 1024 terms: a pair of right tiles stays in the first-level cache
inline constexpr Index pair_entries = 512;      // results of one left tile and two right tiles

// Planes follow each other at a distance that is no multiple of a page: else the residues of one entry would compete for one set of a
// cache.
inline constexpr Index plane_padding = 67 * 64;
static inline Index plane_bytes(kernels::uint vectors, kernels::uint inner_padded) {
  return static_cast<Index>(vectors) * static_cast<Index>(inner_padded) + plane_padding;
}

struct Tiles {
  Index first, count;
};

/// Chunks of the terms of a plane: all of one size but the last.
struct Chunks {
  Index count, size, blocks;  // size of a chunk, and all together, in blocks
};
static inline Chunks chunks_of(kernels::uint inner_padded) {
  const Index blocks = static_cast<Index>(inner_padded) / block_terms, count = (blocks + most_chunk_blocks - 1) / most_chunk_blocks;
  const Index size = (blocks + count - 1) / count;
  return {(blocks + size - 1) / size, size, blocks};
}
static inline Index blocks_of(const Chunks& chunks, Index chunk) {
  return chunk + 1 < chunks.count ? chunks.size : chunks.blocks - (chunks.count - 1) * chunks.size;
}

/// One operand of a block: a residue plane of so many tiles.
struct Plane {
  const std::int8_t* at;
  Index tiles;
};
static inline const std::int8_t* chunk_at(const Plane& plane, const Chunks& chunks, Index chunk) {
  return plane.at + chunk * chunks.size * plane.tiles * block_bytes;
}

/// The product of some left and right tiles modulo one number.
struct ModularBlock {
  Plane left, right;
  Chunks chunks;
  Tiles left_tiles;
  Tiles right_tiles;  // the first one is even
  const ModulusConstants* modulus;
  std::int8_t* results;   // 512 for each pair of right tiles and left tile, the left tile running fastest: entry
                          // 32 r + 2 i + h is left vector i with right vector 16 h + r
  std::int16_t* partial;  // room for as many sums of chunks; not used when there is one chunk
  std::byte* scratch;     // multiply_scratch_bytes
  // The planes of the block that comes next, of the same tiles: fetched ahead. Null: nothing comes.
  const std::int8_t* next_left;
  const std::int8_t* next_right;
};
inline constexpr std::size_t multiply_scratch_bytes = 16 * 1024;
inline constexpr std::size_t product_scratch_bytes = 16 * 1024 * 1024;  // a thread, for the residues of its block of results
// Of 1024 terms, each below 384 in absolute value: 256 + 40 * 384 is less than the offset of at least 2^14 - 255, twice which fits.
inline constexpr Index chunks_between_reductions = 40;

static inline Index entries_of(const ModularBlock& b) {
  return (b.right_tiles.count + 1) / 2 * b.left_tiles.count * pair_entries;
}

/// Sets results: symmetric residues of the unit of results (constants.hpp).
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
