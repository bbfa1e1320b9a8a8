// SPDX-License-Identifier: MIT
// Sums of more than 2^31 terms: entries repeated by a stride of 0, so that they need no memory.
#include <gtest/gtest.h>

#include "support/data.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

TEST(LongSums, BeyondTwoToThe31TermsTheIeeePathCountsThemAll) {
  test::Random random(1);
  test::Recipe recipe;
  recipe.edit = [](test::Matrices& x) { x.a[0] = 3, x.b[0] = 1; };
  const test::Call call = make_call(recipe, random);
  const test::ResidentCall resident(test::context_of(), call);
  Product product = resident.product();
  constexpr Index terms = (Index{1} << 31) + 5;
  product.left.inner_stride = product.right.inner_stride = 0;
  product.left.inner = product.right.inner = terms;
  const Outcome outcome = multiply(test::context_of(), product, test::choices_for(Precision::Fp64));
  ASSERT_FALSE(outcome.declined);
  EXPECT_EQ(outcome.report.scheme, Scheme::Ieee);
  EXPECT_EQ(outcome.report.fallback_reason, Reason::SizeLimit);
  EXPECT_EQ(resident.read_back().c[0], 3.0 * static_cast<double>(terms));
}

}  // namespace
}  // namespace ab::ops
