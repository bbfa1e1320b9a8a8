// SPDX-License-Identifier: MIT
#include "ops/resident.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "device/registry.hpp"
#include "ops/gemm_steps.hpp"

namespace ab::ops {
namespace {

// 5 x 4 complex entries of leading dimension 7; entry (i, j) is i + 10 j, and minus that.
class HostMatrices : public testing::Test {
 protected:
  HostMatrices() : context_(0, device::open(0), std::uint64_t{1} << 24), words_(7 * 4 * 2) {
    for (Index j = 0; j < 4; ++j) {
      for (Index i = 0; i < 7; ++i) {
        words_[static_cast<std::size_t>(2 * (i + 7 * j))] = static_cast<double>(i + 10 * j);
        words_[static_cast<std::size_t>(2 * (i + 7 * j) + 1)] = -static_cast<double>(i + 10 * j);
      }
    }
  }
  HostMatrix host(bool vectors_are_columns, Index panel_bytes = 1 << 20) {
    return {reinterpret_cast<std::byte*>(words_.data()), 7, 2, vectors_are_columns, panel_bytes, nullptr, 0};
  }
  double entry(const ResidentBlock& block, Index vector, Index term, int part) {
    double value = 0;
    const Slice& from = block.view.parts[static_cast<std::size_t>(part)];
    const Index word = vector * block.view.vector_stride + term * block.view.inner_stride;
    context_.queue().read(*from.memory, from.offset + static_cast<std::size_t>(word) * 8, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  Context context_;
  std::vector<double> words_;
};

TEST_F(HostMatrices, BlocksOfBothDirections) {
  for (const bool columns : {false, true}) {
    const HostMatrix matrix = host(columns);
    VectorView view = columns ? right_operand({}, 2, Op::None, 5, 4, 7) : left_operand({}, 2, Op::None, 5, 4, 7);
    view.host = &matrix;
    const ResidentBlock block = make_resident(context_, view, {1, 2}, {2, 2});
    EXPECT_EQ(block.view.vectors, 2);
    EXPECT_EQ(block.view.inner, 2);
    EXPECT_EQ(block.copied.memory().bytes(), 4096u);  // 64 bytes
    for (Index v = 0; v < 2; ++v) {
      for (Index t = 0; t < 2; ++t) {
        const double expected = columns ? static_cast<double>((t + 2) + 10 * (v + 1)) : static_cast<double>((v + 1) + 10 * (t + 2));
        EXPECT_EQ(entry(block, v, t, 0), expected);
        EXPECT_EQ(entry(block, v, t, 1), -expected);
      }
    }
  }
}

TEST_F(HostMatrices, OnePartOfAComplexBlock) {
  const HostMatrix matrix = host(false);
  VectorView view = left_operand({}, 2, Op::None, 5, 4, 7);
  view.host = &matrix;
  const ResidentBlock block = make_resident(context_, part_of(view, 1), {3, 1}, {1, 1});
  EXPECT_EQ(entry(block, 0, 0, 0), -13);
}

TEST_F(HostMatrices, WhatIsThereIsNotCopied) {
  const Lease memory = context_.lease(8 * 100);
  const VectorView view = left_operand(memory.slice(16), 1, Op::Transpose, 4, 5, 7);
  const ResidentBlock block = make_resident(context_, view, {2, 1}, {3, 2});
  EXPECT_FALSE(block.copied);
  EXPECT_EQ(block.view.parts[0].offset, 16u + 8 * (2 * 7 + 3));
  EXPECT_EQ(block.view.vectors, 1);
  EXPECT_EQ(block.view.inner, 2);
  EXPECT_EQ(panels_of(view).size(), 1u);
}

TEST_F(HostMatrices, PanelsAreOfWholeVectors) {
  const HostMatrix matrix = host(false, 3 * 4 * 16 - 1);  // not quite three vectors of four entries
  VectorView view = left_operand({}, 2, Op::None, 5, 4, 7);
  view.host = &matrix;
  const std::vector<Block> panels = panels_of(view);
  ASSERT_EQ(panels.size(), 3u);
  EXPECT_EQ(panels[0].count, 2);
  EXPECT_EQ(panels[2].first, 4);
  EXPECT_EQ(panels[2].count, 1);
  const HostMatrix small = host(false, 4 * 16 - 1);
  view.host = &small;
  EXPECT_THROW(panels_of(view), OverCap);
}

}  // namespace
}  // namespace ab::ops
