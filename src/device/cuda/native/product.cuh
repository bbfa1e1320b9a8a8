// SPDX-License-Identifier: MIT
// Products of residue planes on Hopper's matrix unit, sums reduced to bytes before they leave the registers (docs/cuda_kernels.md).
// Blocks stay for the whole launch and take tile after tile. No warp only loads: with 384 threads the sums of three warpgroups and a
// fourth group do not fit the registers. One thread of the last warpgroup waits for the stage that was just given back and loads
// into it, while the products queued before keep the matrix unit busy.
#pragma once
#include "device/cuda/native/layout.hpp"
#include "device/cuda/native/ptx.cuh"
#include "device/cuda/native/sums.cuh"

namespace ab::device::cuda::native {

// The loading thread's place in the stream of stages: tile after tile, block of terms after block of terms.
template <int warpgroups, Pairing pairing>
struct Loader {
  const CUtensorMap& columns;
  const CUtensorMap& rows;
  const ProductParams& p;
  int rank, tile, stride, block;
  Tile at;
  unsigned met, seen;  // steps of the lock-step, and the counter when it was last read
  int patience;        // looks at the counter left

  __device__ __forceinline__ void find_tile() {
    at = tile_at(p.schedule, tile);
    at.column = at.column * (pairing == Pairing::Columns ? 2 : 1) + (pairing == Pairing::Columns ? rank : 0);
    at.row = at.row * (pairing == Pairing::Rows ? 2 : 1) + (pairing == Pairing::Rows ? rank : 0);
  }
  __device__ __forceinline__ unsigned read_counter() const {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p.meetings) : "memory");
    return value;
  }
  __device__ __forceinline__ void add_meetings(int count) const {
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(p.meetings), "r"(count) : "memory");
  }
  // Blocks that drift apart in k push each other's panels out of the L2 cache. So every some blocks of terms they wait until all have
  // come as far on average. Only a wish: blocks may not all be resident, so no wait is long, nor are all of them together.
  __device__ __forceinline__ void keep_step() {
    constexpr int most_looks = 256;  // some 180 us (chosen)
    const int place = block % step_blocks;
    if (place == step_blocks - 2) seen = read_counter();  // early, so that the wait is free as a rule
    if (place != 0) return;
    add_meetings(1);
    const unsigned goal = met++ * gridDim.x;
    for (int look = 0; look < most_looks && patience > 0 && static_cast<int>(seen - goal) < 0; ++look, --patience) seen = read_counter();
  }
  __device__ __forceinline__ void end_steps() const {  // of a block with fewer tiles than others
    const int most_tiles = (tiles_of(p.schedule) + stride - 1) / stride;
    const int missing = most_tiles * ((p.blocks + step_blocks - 1) / step_blocks) - static_cast<int>(met);
    if (missing > 0) add_meetings(missing);
  }
  // Both operands' boxes of the next block of terms; what the pair shares, each block loads a half of for both.
  __device__ __forceinline__ void load(unsigned stage, unsigned full) {
    if (tile >= tiles_of(p.schedule)) return;
    if (p.meetings != nullptr) keep_step();
    constexpr int tile_columns = warpgroups * slab_columns, column_bytes = tile_columns * block_terms;
    const int term = block * block_terms, column = p.first_column + at.column * tile_columns, row = p.first_row + at.row * tile_rows;
    expect_bytes(full, stage_bytes(warpgroups));
    if (pairing == Pairing::Rows) {
      load_box_for_both(stage + rank * (column_bytes / 2), &columns, full, term, column + rank * (tile_columns / 2), at.plane);
      load_box(stage + column_bytes, &rows, full, term, row, at.plane);
    } else {
      load_box(stage, &columns, full, term, column, at.plane);
      load_box_for_both(stage + column_bytes + rank * (tile_rows / 2 * block_terms), &rows, full, term, row + rank * (tile_rows / 2), at.plane);
    }
    if (++block < p.blocks) return;
    block = 0;
    tile += stride;
    if (tile < tiles_of(p.schedule)) {
      find_tile();
    } else if (p.meetings != nullptr) {
      end_steps();
    }
  }
};

template <int warpgroups, Pairing pairing>
__device__ __forceinline__ void multiply_planes(const CUtensorMap& columns, const CUtensorMap& rows, const ProductParams& p) {
  extern __shared__ unsigned char shared_memory[];
  __shared__ __align__(8) unsigned long barriers[2 * stages];
  constexpr int column_bytes = warpgroups * slab_columns * block_terms;
  const unsigned base = (shared_address(shared_memory) + 1023u) & ~1023u;
  const unsigned full = shared_address(barriers), empty = full + 8 * stages;
  const int rank = rank_in_pair(), warpgroup = threadIdx.x / warpgroup_threads, thread = threadIdx.x % warpgroup_threads;
  const int first = blockIdx.x / 2, stride = gridDim.x / 2, tiles = tiles_of(p.schedule);
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      set_up_barrier(full + 8 * s, 1);
      set_up_barrier(empty + 8 * s, 2 * warpgroups);  // of both blocks, since each writes into both
    }
    publish_barriers();
  }
  meet_pair();
  const bool loads = threadIdx.x == warpgroup_threads * (warpgroups - 1);
  Loader<warpgroups, pairing> loader{columns, rows, p, rank, first, stride, 0, {0, 0, 0}, 0, 0, 16 * 256};
  if (loads) {
    if (first < tiles) loader.find_tile();
    for (int s = 0; s < stages; ++s) loader.load(base + s * stage_bytes(warpgroups), full + 8 * s);
  }
  __syncwarp();
  constexpr int chunk_blocks = chunk_terms / block_terms;
  int stage = 0, full_parity = 0, empty_parity = 0;
  int sums[thread_sums];
  const auto give_back = [&](int used) {
    if (thread < 2) arrive_at_block(empty + 8 * used, thread);
    if (loads) {
      wait_for(empty + 8 * used, empty_parity);
      loader.load(base + used * stage_bytes(warpgroups), full + 8 * used);
    }
    if (used == stages - 1) empty_parity ^= 1;
    __syncwarp();
  };
  for (int tile = first; tile < tiles; tile += stride) {
    Tile at = tile_at(p.schedule, tile);
    const ProductModulus& modulus = p.moduli[at.plane / p.planes_per_modulus];
    for (int begin = 0; begin < p.blocks; begin += chunk_blocks) {
      const int end = p.blocks - begin < chunk_blocks ? p.blocks : begin + chunk_blocks;
      int used = stage;
      for (int block = begin; block < end; ++block) {
        wait_for(full + 8 * stage, full_parity);
        const unsigned here = base + stage * stage_bytes(warpgroups);
        const unsigned long a = matrix_at(here + warpgroup * (slab_columns * block_terms)), b = matrix_at(here + column_bytes);
        begin_products();
        multiply(sums, a, b, block);
        multiply(sums, a + 2, b + 2, 1);
        multiply(sums, a + 4, b + 4, 1);
        multiply(sums, a + 6, b + 6, 1);
        commit_products();
        wait_for_products<1>();
        if (block > begin) give_back(used);
        used = stage;
        if (++stage == stages) {
          stage = 0;
          full_parity ^= 1;
        }
      }
      wait_for_products<0>();
      settle(sums);
      give_back(used);
      if (end < p.blocks) carry_on(sums, modulus);
    }
    const int column = pairing == Pairing::Columns ? 2 * at.column + rank : at.column, row = pairing == Pairing::Rows ? 2 * at.row + rank : at.row;
    const int slab = column * warpgroups + warpgroup;
    if (slab >= p.slabs || row >= p.row_tiles) continue;
    store_pieces(sums, slab_at(p, at.plane, row, slab), pieces_of_warpgroup(thread), modulus);
  }
  leave_pair();
}

}  // namespace ab::device::cuda::native
