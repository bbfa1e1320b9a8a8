// SPDX-License-Identifier: MIT
// Double-float inner products tile by tile: edges, blocks over k that carry the pair, and groups beyond the count that do nothing.
#include <gtest/gtest.h>

#include "kernels/device_under_test.hpp"
#include "ops/open_device.hpp"
#include "support/random.hpp"

namespace ab::test {
namespace {

using kernels::pair32;

struct Shape {
  kernels::uint rows, columns, inner_padded;
};

std::vector<pair32> any_pairs(Random& random, std::size_t count) {
  std::vector<pair32> pairs;
  for (std::size_t i = 0; i < count; ++i) pairs.push_back(kernels::pair_of_word(__builtin_bit_cast(std::uint64_t, random.tail(4.0)), 0));
  return pairs;
}

class GemmDd : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_device_under_test(); !why.empty()) GTEST_SKIP() << "skipped: " << why;
    context_ = std::make_unique<ops::Context>(0, device_under_test(), std::uint64_t{1} << 26);
  }
  kernels::dd_params params_for(Shape shape) const {
    kernels::dd_params p{};
    p.tile_rows = (shape.rows + 63) / 64;
    p.tile_columns = (shape.columns + 63) / 64;
    p.groups = p.tile_rows * p.tile_columns;
    p.rows = p.left_all = shape.rows;
    p.columns = p.right_all = shape.columns;
    p.inner_padded = shape.inner_padded;
    p.form = 1;
    return p;
  }
  std::unique_ptr<ops::Context> context_;
};

/// The definition: for k ascending acc = step(acc, a_k, b_k), from `start`.
std::vector<pair32> expected(Shape shape, const std::vector<pair32>& a, const std::vector<pair32>& b, const std::vector<pair32>& start) {
  std::vector<pair32> out = start;
  for (std::size_t j = 0; j < shape.columns; ++j) {
    for (std::size_t i = 0; i < shape.rows; ++i) {
      pair32& sum = out[j * shape.rows + i];
      for (std::size_t k = 0; k < shape.inner_padded; ++k)
        sum = kernels::dd_step(sum, a[i * shape.inner_padded + k], b[j * shape.inner_padded + k]);
    }
  }
  return out;
}

void expect_same(const std::vector<pair32>& got, const std::vector<pair32>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_TRUE(got[i].hi == wanted[i].hi && got[i].lo == wanted[i].lo) << "entry " << i << ": " << got[i].hi << " + " << got[i].lo;
  }
}

TEST_F(GemmDd, TilesAndTheirEdges) {
  Random random(1);
  for (const Shape shape : {Shape{1, 1, 64}, Shape{5, 3, 64}, Shape{64, 64, 16}, Shape{65, 66, 32}, Shape{130, 7, 128}}) {
    const std::vector<pair32> a = any_pairs(random, std::size_t{shape.rows} * shape.inner_padded),
                              b = any_pairs(random, std::size_t{shape.columns} * shape.inner_padded);
    std::vector<pair32> sums(std::size_t{shape.rows} * shape.columns);
    const ops::Lease left = ops::upload(*context_, std::span<const pair32>(a)), right = ops::upload(*context_, std::span<const pair32>(b));
    const ops::Lease products = ops::upload(*context_, std::span<const pair32>(any_pairs(random, sums.size())));
    kernels::dd_params p = params_for(shape);
    context_->launch(ops::Text::GemmDd, p.groups, 0, {left.slice(), right.slice(), products.slice(), ops::params(p)});
    sums = expected(shape, a, b, sums);
    expect_same(ops::download<pair32>(*context_, products, sums.size()), sums);
    p.accumulate = 1;  // on from the pairs that are there
    context_->launch(ops::Text::GemmDd, p.groups, 0, {left.slice(), right.slice(), products.slice(), ops::params(p)});
    expect_same(ops::download<pair32>(*context_, products, sums.size()), expected(shape, a, b, sums));
  }
}

TEST_F(GemmDd, GroupsBeyondTheCountDoNothing) {
  Random random(2);
  const Shape shape{70, 40, 64};
  const std::vector<pair32> a = any_pairs(random, std::size_t{shape.rows} * shape.inner_padded),
                            b = any_pairs(random, std::size_t{shape.columns} * shape.inner_padded);
  const std::vector<pair32> start = any_pairs(random, std::size_t{shape.rows} * shape.columns);
  const ops::Lease left = ops::upload(*context_, std::span<const pair32>(a)), right = ops::upload(*context_, std::span<const pair32>(b));
  const ops::Lease products = ops::upload(*context_, std::span<const pair32>(start));
  kernels::dd_params p = params_for(shape);
  p.accumulate = 1;
  const std::unique_ptr<device::Kernel> kernel = device_under_test().load({"gemm_dd"});
  const ops::Argument arguments[] = {left.slice(), right.slice(), products.slice(), ops::params(p)};
  context_->queue().launch(*kernel, {5, 3, 1, 0}, arguments);  // 15 groups for 2 tiles, folded
  expect_same(ops::download<pair32>(*context_, products, start.size()), expected(shape, a, b, start));
}

}  // namespace
}  // namespace ab::test
