// SPDX-License-Identifier: MIT
#include "ops/decision.hpp"

#include <gtest/gtest.h>

namespace ab::ops {
namespace {

TEST(Decision, OfSomeColumnsKeepsTheirRecordsAndScales) {
  const Decision dd = decision_for(DoubleFloatPlan{1, {1, 2}, {10, 11, 12, 13}}, {1, 2});
  EXPECT_EQ(std::get<DoubleFloatPlan>(dd).left_scales, (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(std::get<DoubleFloatPlan>(dd).right_scales, (std::vector<std::int32_t>{11, 12}));
  CrtPlan plan;
  plan.first_right = 2;
  plan.inner_pairs = {5, 6};
  const CrtPlan part = std::get<CrtPlan>(decision_for(plan, {3, 1}));
  EXPECT_EQ(part.first_right, 5);
  EXPECT_EQ(part.inner_pairs, plan.inner_pairs);
}

TEST(Decision, WhatKernelsCanNumber) {
  Product product;
  product.left.inner = product.right.inner = 10;
  product.c.rows = INT32_MAX;
  product.c.columns = 1;
  EXPECT_TRUE(is_countable(product));
  ++product.c.rows;
  EXPECT_FALSE(is_countable(product));
  product.c.rows = 1;
  product.left.inner = Index{1} << 32;
  EXPECT_FALSE(is_countable(product));
}

TEST(Decision, WhatReadsNoOperand) {
  Product product;
  product.left.inner = product.c.rows = product.c.columns = 1;
  EXPECT_FALSE(is_trivial(product));
  product.alpha = 0;
  EXPECT_TRUE(is_trivial(product));
  product.alpha = 1;
  for (Index* size : {&product.left.inner, &product.c.rows, &product.c.columns}) {
    *size = 0;
    EXPECT_TRUE(is_trivial(product));
    *size = 1;
  }
}

}  // namespace
}  // namespace ab::ops
