// SPDX-License-Identifier: MIT
#include "device/cuda/native/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace ab::device::cuda::native {
namespace {

// Where a byte of a slab comes from (a thread's piece, word, byte: what store_pieces writes) is where the reconstruction says it belongs.
template <class PlaceOfSum>
void expect_pieces(const Pieces& pieces, const PlaceOfSum& place_of, std::vector<int>& seen) {
  for (int piece = 0; piece < chunks; ++piece) {
    for (int word = 0; word < 4; ++word) {
      const Place read = place_of_word(piece_at(pieces, piece) * 4 + word);
      for (int byte = 0; byte < 4; ++byte) {
        const Place written = place_of(sum_of_chunk(piece, word, byte));
        ASSERT_EQ(read.column, written.column);
        ASSERT_EQ(read.row + row_of_byte(byte), written.row);
        ++seen[static_cast<std::size_t>(written.row * slab_columns + written.column)];
      }
    }
  }
}

TEST(CudaLayout, ReconstructionReadsWhatWarpgroupsWrite) {
  std::vector<int> seen(static_cast<std::size_t>(slab_bytes), 0);
  for (int thread = 0; thread < warpgroup_threads; ++thread)
    expect_pieces(
        pieces_of_warpgroup(thread), [&](int i) { return place_of_sum(thread, i); }, seen);
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
}

// PTX ISA, layout of the sums of mma.m16n8k32: sixteens of columns of C, of which each has eights of rows.
TEST(CudaLayout, ReconstructionReadsWhatWarpsWrite) {
  std::vector<int> seen(static_cast<std::size_t>(slab_bytes), 0);
  for (int thread = 0; thread < 32 * warps_of_slab; ++thread) {
    const int warp = thread / 32, lane = thread % 32;
    const auto place_of = [&](int i) {
      const int sixteen = i / 32, eight = i / 4 % 8;
      return Place{warp * warp_rows + 8 * eight + lane % 4 * 2 + i % 2, 16 * sixteen + lane / 4 + 8 * (i / 2 % 2)};
    };
    expect_pieces(pieces_of_warp(warp, lane), place_of, seen);
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

TEST(CudaLayout, StagesHaveNoConflictsOfBanks) {
  std::set<unsigned> places;
  for (unsigned vector = 0; vector < warp_stage_bytes / warp_block_terms; ++vector) {
    for (unsigned piece = 0; piece < 4; ++piece) places.insert(place_in_stage(vector, piece));
  }
  EXPECT_EQ(static_cast<int>(places.size()), warp_stage_bytes / 16);
  EXPECT_EQ(*places.rbegin() + 16, static_cast<unsigned>(warp_stage_bytes));
  for (unsigned first = 0; first < 64; first += 8) {
    for (unsigned piece = 0; piece < 4; ++piece) {  // a matrix of eight lines is read at once
      std::set<unsigned> banks;
      for (unsigned vector = first; vector < first + 8; ++vector) banks.insert(place_in_stage(vector, piece) % 128);
      EXPECT_EQ(banks.size(), 8u);
    }
  }
}

TEST(CudaLayout, FitsTheDevice) {
  EXPECT_LE(shared_bytes(3), 227 * 1024 - 64);
  EXPECT_LE(warp_shared_bytes, 99 * 1024);  // of compute capability 8.6 and 8.9
  EXPECT_EQ(stage_bytes(2) % 1024, 0);
  EXPECT_EQ(stage_bytes(3) % 1024, 0);
  EXPECT_EQ(slab_columns * block_terms % 1024, 0);
  EXPECT_EQ(chunk_terms % block_terms + chunk_terms % warp_block_terms, 0);
  EXPECT_LT(std::int64_t{chunk_terms} * 127 * 127 + 128, std::int64_t{1} << 31);
  EXPECT_LE(sizeof(ProductParams) + 256, 4096u);
  EXPECT_LE(sizeof(ResultParams), 4096u);
  EXPECT_LE(sizeof(ResidueParams), 4096u);
}

}  // namespace
}  // namespace ab::device::cuda::native
