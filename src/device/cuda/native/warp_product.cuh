// SPDX-License-Identifier: MIT
// Products of residue planes by warps, on every matrix unit from compute capability 8.0 on (docs/cuda_kernels.md). Blocks stay for the
// whole launch and take tile after tile; all threads copy some stages ahead of the products, through the ends of tiles. The steps of a
// thread are apart from their order, which the tests follow on the host with all threads of a block.
#pragma once
#include "device/cuda/native/layout.hpp"
#include "device/cuda/native/sums.cuh"
#if defined(__CUDACC__)
#include "device/cuda/native/warp_ptx.cuh"
#endif

namespace ab::device::cuda::native {

struct WarpThread {
  static constexpr int copy_vectors = warp_product_threads / 4, copies = warp_stage_bytes / warp_block_terms / copy_vectors;
  static constexpr int tile_columns = warp_slabs * slab_columns;
  static_assert(copy_vectors == slab_columns);
  const Planes& columns;
  const Planes& rows;
  const ProductParams& p;
  const unsigned shared;
  const int warp, lane, tiles, stride;
  int tile, block;  // that is copied next
  const unsigned char* from[copies];
  unsigned column_terms[2][4][4], row_terms[2][4][4];  // of 32 terms: sixteens of columns, two eights of rows
  int sums[thread_sums];                               // [sixteen of columns][eight of rows][4]

  __device__ __forceinline__ WarpThread(const Planes& the_columns, const Planes& the_rows, const ProductParams& params, unsigned shared_memory,
                                        unsigned thread, unsigned first, unsigned step)
      : columns(the_columns),
        rows(the_rows),
        p(params),
        shared(shared_memory),
        warp(static_cast<int>(thread / 32)),
        lane(static_cast<int>(thread % 32)),
        tiles(tiles_of(params.schedule)),
        stride(static_cast<int>(step)),
        tile(static_cast<int>(first)),
        block(0) {
    find_tile();
  }

  // Vectors past the last are that one again: what becomes of them nobody reads.
  __device__ __forceinline__ void find_tile() {
    if (tile >= tiles) return;
    const Tile at = tile_at(p.schedule, tile);
    const int thread = warp * 32 + lane;
#pragma unroll
    for (int i = 0; i < copies; ++i) {
      const Planes& planes = i < warp_slabs ? columns : rows;
      const int first = i < warp_slabs ? p.first_column + at.column * tile_columns : p.first_row + at.row * tile_rows - tile_columns;
      const int vector = first + i * copy_vectors + thread / 4;
      from[i] = vector_at(planes, at.plane, vector < planes.vectors ? vector : planes.vectors - 1) + thread % 4 * 16;
    }
  }
  __device__ __forceinline__ void copy(int stage) {
    if (tile < tiles) {
      const unsigned thread = static_cast<unsigned>(warp * 32 + lane);
      const unsigned to = shared + static_cast<unsigned>(stage * warp_stage_bytes) + place_in_stage(thread / 4, thread % 4);
#pragma unroll
      for (int i = 0; i < copies; ++i) {
        copy_piece(to + static_cast<unsigned>(i * copy_vectors * warp_block_terms), from[i]);
        from[i] += warp_block_terms;
      }
      if (++block == p.blocks) {
        block = 0;
        tile += stride;
        find_tile();
      }
    }
    commit_copies();  // of nothing after the last
  }
  // For the oldest stage that is on its way, and for all to have read the stage before.
  __device__ __forceinline__ void wait() const {
    wait_for_copies<warp_stages - 2>();
    __syncthreads();
  }

  __device__ __forceinline__ void load(int stage, int half) {
    const unsigned l = static_cast<unsigned>(lane), from_stage = shared + static_cast<unsigned>(stage * warp_stage_bytes);
    const unsigned first_column = static_cast<unsigned>(warp / warps_of_slab * slab_columns);
    const unsigned first_row = static_cast<unsigned>(tile_columns + warp % warps_of_slab * warp_rows);
    const unsigned column_place = place_in_stage(first_column + l % 16, l / 16 + static_cast<unsigned>(2 * half));
    const unsigned row_place = place_in_stage(first_row + l % 8 + l / 16 * 8, l / 8 % 2 + static_cast<unsigned>(2 * half));
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      load_matrices(column_terms[half][i], from_stage + column_place + i * (16 * warp_block_terms));
      load_matrices(row_terms[half][i], from_stage + row_place + i * (16 * warp_block_terms));
    }
  }
  __device__ __forceinline__ void multiply(int half) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) multiply_add(sums + (8 * i + j) * 4, column_terms[half][i], row_terms[half][j / 2] + j % 2 * 2);
    }
  }

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < thread_sums; ++i) sums[i] = 0;
  }
  __device__ __forceinline__ const ProductModulus& modulus_of(int plane) const { return p.moduli[plane / p.planes_per_modulus]; }
  __device__ __forceinline__ void go_on(int of_tile) { carry_on(sums, modulus_of(tile_at(p.schedule, of_tile).plane)); }
  __device__ __forceinline__ void store(int of_tile) const {
    const Tile at = tile_at(p.schedule, of_tile);
    const int slab = at.column * warp_slabs + warp / warps_of_slab;
    if (slab < p.slabs) store_pieces(sums, slab_at(p, at.plane, at.row, slab), pieces_of_warp(warp, lane), modulus_of(at.plane));
  }
};

// The order of the steps, by a thread or by all of a block. Half a block of terms is loaded while the other half is multiplied.
template <class Block>
__device__ __forceinline__ void multiply_by_warps(Block& block, const ProductParams& p, int first, int stride) {
  constexpr int chunk_blocks = chunk_terms / warp_block_terms;
  const int tiles = tiles_of(p.schedule);
  int stage = 0;
#pragma unroll 1
  for (int s = 0; s < warp_stages - 1; ++s) block.copy(s);
  block.wait();
  block.load(stage, 0);
#pragma unroll 1
  for (int tile = first; tile < tiles; tile += stride) {
    block.clear();
#pragma unroll 1
    for (int begin = 0; begin < p.blocks; begin += chunk_blocks) {
      if (begin > 0) block.go_on(tile);
      const int end = p.blocks - begin < chunk_blocks ? p.blocks : begin + chunk_blocks;
#pragma unroll 1
      for (int done = begin; done < end; ++done) {
        block.copy((stage + warp_stages - 1) % warp_stages);
        block.load(stage, 1);
        block.multiply(0);
        stage = (stage + 1) % warp_stages;
        block.wait();
        block.load(stage, 0);
        block.multiply(1);
      }
    }
    block.store(tile);
  }
}

}  // namespace ab::device::cuda::native
