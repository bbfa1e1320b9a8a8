// SPDX-License-Identifier: MIT
#include "ops/decision.hpp"

#include <gtest/gtest.h>

namespace ab::ops {
namespace {

TEST(Decision, OfSomeColumnsKeepsTheirShiftsAndScales) {
  const Decision dd = decision_for(DoubleFloatPlan{1, {1, 2}, {10, 11, 12, 13}}, {1, 2});
  EXPECT_EQ(std::get<DoubleFloatPlan>(dd).left_scales, (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(std::get<DoubleFloatPlan>(dd).right_scales, (std::vector<std::int32_t>{11, 12}));
  CrtPlan plan;
  plan.left_shifts = {1, 2};
  plan.right_shifts = {10, 11, 12, 13};
  plan.inner_pairs = {5, 6};
  const CrtPlan joint = std::get<CrtPlan>(decision_for(plan, {3, 1}));
  EXPECT_EQ(joint.right_shifts, (std::vector<std::int32_t>{13}));
  EXPECT_EQ(joint.left_shifts, plan.left_shifts);
  EXPECT_EQ(joint.inner_pairs, plan.inner_pairs);
  plan.split = true;
  plan.right_shifts = {10, 11, 12, 20, 21, 22};  // real parts, then imaginary ones
  EXPECT_EQ(std::get<CrtPlan>(decision_for(plan, {1, 2})).right_shifts, (std::vector<std::int32_t>{11, 12, 21, 22}));
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
