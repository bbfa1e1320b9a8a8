// SPDX-License-Identifier: MIT
// What the native CUDA kernels and the host agree on: tiles, the order of residues between product and reconstruction, and params.
// Compiled by nvcc and by the host's compiler; tests/device/cuda/native/layout_test.cpp goes through every map.
#pragma once
#include "kernels/lang.h"

#if defined(__CUDACC__)
#define AB_BOTH __host__ __device__ __forceinline__ constexpr
namespace ab::kernels {
using ::uint;
using ::ulong;
#include "kernels/arithmetic.h"
}  // namespace ab::kernels
#else
#define AB_BOTH inline constexpr
#include "kernels/host.hpp"
#endif

namespace ab::device::cuda::native {

// ---- The product. Right vectors (columns of C) are the rows of the matrix unit's left operand, left vectors (rows of C) the rows of
// ---- its right operand: then a thread's neighbouring sums are neighbours in a column of C.
inline constexpr int tile_rows = 256;    // rows of C of a tile
inline constexpr int slab_columns = 64;  // columns of C of one warpgroup
inline constexpr int slab_bytes = tile_rows * slab_columns;
inline constexpr int warpgroup_threads = 128;
inline constexpr int thread_sums = slab_bytes / warpgroup_threads;
inline constexpr int block_terms = 128;  // terms of a stage: one swizzle line
inline constexpr int stages = 4;
// Sums of so many terms stay below 2^31 for the residues of odd moduli: 131072 127^2 + 128. Those of 256 may wrap.
inline constexpr int chunk_terms = 131072;
inline constexpr int most_moduli = 20;
inline constexpr int step_blocks = 16;  // between two meetings of the lock-step

AB_BOTH int stage_bytes(int warpgroups) {
  return (warpgroups * slab_columns + tile_rows) * block_terms;
}
AB_BOTH int shared_bytes(int warpgroups) {
  return stages * stage_bytes(warpgroups) + 1024;
}  // 1024: to align it by hand

/// Two blocks of a cluster share what both need of one operand: tiles that follow one another along the columns or the rows of C.
/// None: blocks go alone.
enum class Pairing { None, Columns, Rows };

/// Place of a sum in its slab, from the matrix unit's layout of m64n256 sums: sum i of a thread of the warpgroup.
struct Place {
  int row, column;
};
AB_BOTH Place place_of_sum(int thread, int i) {
  return {i / 4 * 8 + thread % 4 * 2 + i % 2, thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8};
}

// Residues leave a warpgroup as eight chunks of 16 bytes a thread, so that every store is whole lines, without shared memory:
// slab = [chunk][thread][16 bytes]. Byte e of word q of chunk c is this sum of the thread.
inline constexpr int chunks = 8, chunk_bytes = slab_bytes / chunks;
AB_BOTH int sum_of_chunk(int chunk, int word, int byte) {
  return (chunk / 2 * 8 + 2 * word + byte / 2) * 4 + chunk % 2 * 2 + byte % 2;
}

/// A thread's pieces of 16 bytes in a slab: eight sixteens of sums, in the order of sum_of_chunk, two by two in neighbouring chunks.
struct Pieces {
  int first, apart;  // apart: from one two to the next
};
AB_BOTH int piece_at(const Pieces& p, int index) {
  return p.first + index / 2 * p.apart + index % 2 * warpgroup_threads;
}
AB_BOTH Pieces pieces_of_warpgroup(int thread) {
  return {thread, 2 * warpgroup_threads};
}

/// The four entries of word `index` of a slab: rows row, row + 1, row + 8, row + 9 of one column.
AB_BOTH Place place_of_word(int index) {
  const int word = index % 4, thread = index / 4 % warpgroup_threads, chunk = index / 4 / warpgroup_threads;
  return {chunk / 2 * 64 + word * 16 + thread % 4 * 2, thread / 32 * 16 + thread % 32 / 4 + chunk % 2 * 8};
}
AB_BOTH int row_of_byte(int byte) {
  return byte / 2 * 8 + byte % 2;
}

// ---- The product by warps, for matrix units without warpgroups. A warp makes 64 columns by 64 rows of C. Sums of m16n8k32 lie in four
// ---- warps' worth of the warpgroup's threads as there, so that a warp's are whole chunks of a slab: the order of results is the same.
inline constexpr int warp_rows = 64, warps_of_slab = tile_rows / warp_rows;
inline constexpr int warp_slabs = 2;  // of a block
inline constexpr int warp_product_threads = 32 * warp_slabs * warps_of_slab;
inline constexpr int warp_block_terms = 64, warp_stages = 4;
inline constexpr int warp_stage_bytes = (warp_slabs * slab_columns + tile_rows) * warp_block_terms;  // columns of C, then rows
inline constexpr int warp_shared_bytes = warp_stages * warp_stage_bytes;                             // of the 99 KiB that every card has

AB_BOTH Pieces pieces_of_warp(int warp, int lane) {
  return {warp % warps_of_slab * 2 * warpgroup_threads + lane, 32};
}
/// Where a vector's sixteen terms `piece` of a block stand in a stage: those of eight vectors, read at once, are in different banks.
AB_BOTH unsigned place_in_stage(unsigned vector, unsigned piece) {
  return vector * warp_block_terms + (piece ^ vector / 2 % 4) * 16;
}

/// An operand's residues in memory: [plane][vector][term].
struct Planes {
  const unsigned char* bytes;
  int vectors, inner_padded;
};
AB_BOTH const unsigned char* vector_at(const Planes& planes, int plane, int vector) {
  return planes.bytes + (static_cast<long>(plane) * planes.vectors + vector) * planes.inner_padded;
}

/// Tiles of all planes in the order in which blocks (or pairs of them) take them: plane by plane, in groups of some tiles of columns,
/// all rows of a group before the next, so that what runs at the same time shares panels of one modulus.
struct Schedule {
  int column_tiles, row_tiles;  // of blocks that go alone, or of pairs
  int group;                    // tiles of columns
  int planes;
};
struct Tile {
  int plane, column, row;
};
AB_BOTH int tiles_of(const Schedule& s) {
  return s.planes * s.column_tiles * s.row_tiles;
}
AB_BOTH Tile tile_at(const Schedule& s, int index) {
  const int of_plane = s.column_tiles * s.row_tiles, of_group = s.group * s.row_tiles;
  const int rest = index % of_plane, group = rest / of_group, within = rest - group * of_group;
  const int columns_left = s.column_tiles - group * s.group, columns = columns_left < s.group ? columns_left : s.group;
  return {index / of_plane, group * s.group + within % columns, within / columns};
}

/// How sums are reduced to bytes: low byte of residue + 128.
enum class Reduction : int {
  LowByte,  // modulo 256
  Float,    // one FP32 quotient: exact for the sums of few terms (constants.cpp)
  Bytes,    // weighted bytes, then an FP32 quotient: exact for every int32
};
/// bits + quotient * minus_modulus modulo 2^32: of what an FP32 quotient's bits say, only the low byte counts.
AB_BOTH int less_multiple(int bits, int quotient, int minus_modulus) {
  return static_cast<int>(static_cast<unsigned>(bits) + static_cast<unsigned>(quotient) * static_cast<unsigned>(minus_modulus));
}
struct ProductModulus {
  int weights;       // 256^i mod m, symmetric, a signed byte each
  int bias;          // bits of 1.5 2^23 + 128, plus what takes the bytes' own bias away
  float offset;      // 1.5 2^23 + 128
  float reciprocal;  // 1/m
  int minus_modulus;
  Reduction reduction;
};

struct ProductParams {
  unsigned char* results;  // [plane][row tile][slab][slab_bytes]
  unsigned* meetings;      // the counter of the lock-step, 0 at the start; null: none
  Schedule schedule;
  int slabs, row_tiles;         // of a plane
  int first_column, first_row;  // vectors of the operands' planes
  int blocks;                   // of terms
  int planes_per_modulus;
  ProductModulus moduli[most_moduli];
};

// ---- Reconstruction
inline constexpr int result_threads = 128;
/// Rows: neighbouring rows of a part are adjacent, two of them aligned to 16 bytes. Interleaved: so are real and imaginary part.
enum class Store : int { Words, Rows, Interleaved };

struct ResultParams {
  const unsigned char* results;  // of the product
  unsigned long plane_bytes;
  int slabs, row_tiles;
  int count;                    // moduli
  int first_row, first_column;  // of the panel within the block
  int rows, columns;            // of the panel
  Store store;
  bool plain;             // all entries of the panel are stored as they are: alpha 1, beta 0
  const unsigned* table;  // as the common kernel takes them, for entries done in integers
  const unsigned* whole;
  const int* left_shifts;
  const int* right_shifts;
  kernels::ulong* c_re;
  kernels::ulong* c_im;
  kernels::reconstruct_params p;
  double upper[most_moduli];        // ((M/m)^-1 mod m) / m cut to 39 bits behind the point, so that sums of multiples are exact
  double lower[most_moduli];        // the rest, rounded
  double whole_upper, whole_lower;  // M
  double doubt;                     // no smaller than the error of x before its rounding
};

// ---- Residues of operands
inline constexpr int unit_terms = 8;         // terms of a thread
inline constexpr int line_terms = 256;       // of a warp
inline constexpr int across_vectors = 16;    // of a block, where vectors are neighbours in memory
inline constexpr int residue_threads = 256;  // of a block, where terms are neighbours
inline constexpr int across_threads = line_terms / unit_terms * across_vectors;
inline constexpr int most_residue_moduli = 16;  // budgets up to 125: |a'| < 2^62, and the sum of two fits 63 bits and a sign

struct ResidueModulus {
  int low_weights, high_weights;  // 256^i mod m, symmetric: i = 0..3, 4..7
  int bias;
  float reciprocal;
  int minus_modulus;
};
/// Terms: neighbouring terms of a part are adjacent, two of them aligned to 16 bytes. Interleaved: so are real and imaginary part.
enum class Loads : int { Words, Terms, Interleaved };
struct ResidueParams {
  const double* re;
  const double* im;
  const kernels::vector_record* records;
  int* shifts;
  unsigned char* planes;
  Loads loads;
  kernels::residues_params p;
  ResidueModulus moduli[most_residue_moduli];
};

// ---- Scan: vectors of a block, threads of each.
inline constexpr int profile_bins = 96;
inline constexpr int long_lanes = 256, short_vectors = 8, short_lanes = 32;  // terms are neighbours: a block or a warp a vector
inline constexpr int few_terms = 2048;                                       // below: a warp a vector
inline constexpr int side_vectors = 8, side_lanes = 128;                     // vectors are neighbours

struct ScanParams {
  const double* re;
  const double* im;
  kernels::vector_record* records;
  unsigned* profile;
  Loads loads;
  kernels::scan_params p;
};

/// Where across_vectors x line_terms words stand in shared memory, [term][vector]: the swizzle keeps both directions free of conflicts.
AB_BOTH int place_in_tile(int term, int vector) {
  return term * across_vectors + (vector ^ (term / unit_terms % across_vectors));
}

}  // namespace ab::device::cuda::native
