// SPDX-License-Identifier: MIT
// The host form of the dialect: what every kernel takes of its scratch, and the words that are functions.
#include <gtest/gtest.h>

#include <array>

#include "kernels/broken/tables.hpp"
#include "kernels/host.hpp"
#include "support/random.hpp"

namespace ab::test {
namespace {

using namespace kernels;

TEST(Lang, KernelsTakeNoMoreScratchThanThereIs) {
  std::vector<std::byte> scratch(scratch_bytes);
  std::array<std::uint64_t, 512> zeros{};
  std::size_t most = 0;
  for (const HostKernel* row = host_kernels_measured; row->name != nullptr; ++row) {
    std::array<void*, 16> buffers;
    buffers.fill(zeros.data());
    std::size_t taken = ~std::size_t{0};
    buffers[15] = &taken;
    row->run_group({buffers.data(), scratch.data(), 0, 0, 0});
    EXPECT_LE(taken, scratch_bytes) << row->name;
    most = std::max(most, taken);
  }
  EXPECT_GT(most, 16u * 65u * 4u * 4u);  // the tiles of gemm_dd at the least: something was measured
}

TEST(Lang, LeadingZeros) {
  EXPECT_EQ(leading_zeros(0), 32u);
  for (int n = 0; n < 32; ++n) EXPECT_EQ(leading_zeros(~0u >> n), static_cast<uint>(n));
}

TEST(Lang, CellsAreOnlyLowered) {
  uint cell = ~0u;
  lower_to(cell, 7);
  lower_to(cell, 9);
  EXPECT_EQ(cell, 7u);
}

TEST(Lang, BytesAreSigned) {
  uint a[16] = {}, b[16] = {};
  EXPECT_EQ(dot_of_bytes(a, b), 0);
  std::fill_n(a, 16, 0x80808080u);
  std::fill_n(b, 16, 0x80808080u);
  EXPECT_EQ(dot_of_bytes(a, b), 64 * 128 * 128);
  std::fill_n(b, 16, 0x7F7F7F7Fu);
  EXPECT_EQ(dot_of_bytes(a, b), -64 * 128 * 127);
}

TEST(Lang, BlocksOfScratchAreAligned) {
  EXPECT_EQ(padded(0), 0u);
  EXPECT_EQ(padded(1), 64u);
  EXPECT_EQ(padded(64), 64u);
  EXPECT_EQ(padded(65), 128u);
}

}  // namespace
}  // namespace ab::test
