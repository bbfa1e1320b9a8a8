// SPDX-License-Identifier: MIT
#include "device/cuda/native/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace ab::device::cuda::native {
namespace {

// Where a byte of a slab comes from (thread, chunk, word, byte: what store_slab writes) is where the reconstruction says it belongs.
TEST(CudaLayout, ReconstructionReadsWhatTheProductWrites) {
  std::vector<int> seen(static_cast<std::size_t>(slab_bytes), 0);
  for (int thread = 0; thread < warpgroup_threads; ++thread) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      for (int word = 0; word < 4; ++word) {
        for (int byte = 0; byte < 4; ++byte) {
          const Place written = place_of_sum(thread, sum_of_chunk(chunk, word, byte));
          const int index = (chunk * warpgroup_threads + thread) * 4 + word;
          const Place read = place_of_word(index);
          ASSERT_EQ(read.column, written.column);
          ASSERT_EQ(read.row + row_of_byte(byte), written.row);
          ++seen[static_cast<std::size_t>(written.row * slab_columns + written.column)];
        }
      }
    }
  }
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
}

// PTX ISA, layout of the sums of wgmma.m64nNk32: row of a warp by lane / 4, columns by pairs.
TEST(CudaLayout, SumsAreTheMatrixUnits) {
  for (int thread = 0; thread < warpgroup_threads; ++thread) {
    for (int i = 0; i < thread_sums; ++i) {
      const int warp = thread / 32, lane = thread % 32;
      const Place place = place_of_sum(thread, i);
      EXPECT_EQ(place.column, 16 * warp + lane / 4 + 8 * ((i >> 1) & 1));
      EXPECT_EQ(place.row, 8 * (i >> 2) + 2 * (lane % 4) + (i & 1));
    }
  }
}

TEST(CudaLayout, EveryTileComesOnce) {
  for (const Schedule& s :
       {Schedule{1, 1, 8, 1}, Schedule{7, 3, 8, 2}, Schedule{8, 5, 8, 14}, Schedule{19, 4, 18, 3}, Schedule{43, 32, 18, 14}}) {
    std::set<std::tuple<int, int, int>> seen;
    for (int i = 0; i < tiles_of(s); ++i) {
      const Tile tile = tile_at(s, i);
      ASSERT_TRUE(tile.plane >= 0 && tile.plane < s.planes && tile.column >= 0 && tile.column < s.column_tiles && tile.row >= 0 &&
                  tile.row < s.row_tiles);
      seen.insert({tile.plane, tile.column, tile.row});
    }
    EXPECT_EQ(static_cast<int>(seen.size()), tiles_of(s));
  }
}

TEST(CudaLayout, TurningATileHasNoConflictsOfBanks) {
  std::set<int> places;
  for (int term = 0; term < line_terms; ++term) {
    for (int vector = 0; vector < across_vectors; ++vector) places.insert(place_in_tile(term, vector));
  }
  EXPECT_EQ(static_cast<int>(places.size()), line_terms * across_vectors);
  for (int vector = 0; vector < across_vectors; ++vector) {  // half a warp reads one term of units that follow one another
    for (int half = 0; half < 2; ++half) {
      std::set<int> banks;
      for (int unit = 16 * half; unit < 16 * half + 16; ++unit) banks.insert(place_in_tile(unit * unit_terms, vector) % 16);
      EXPECT_EQ(banks.size(), 16u);
    }
  }
}

TEST(CudaLayout, FitsTheDevice) {
  EXPECT_LE(shared_bytes(3), 227 * 1024 - 64);
  EXPECT_EQ(stage_bytes(2) % 1024, 0);
  EXPECT_EQ(stage_bytes(3) % 1024, 0);
  EXPECT_EQ(slab_columns * block_terms % 1024, 0);
  EXPECT_LT(std::int64_t{chunk_blocks} * block_terms * 127 * 127 + 128, std::int64_t{1} << 31);
  EXPECT_LE(sizeof(ProductParams) + 256, 4096u);
  EXPECT_LE(sizeof(ResultParams), 4096u);
  EXPECT_LE(sizeof(ResidueParams), 4096u);
}

}  // namespace
}  // namespace ab::device::cuda::native
