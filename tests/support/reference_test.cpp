// SPDX-License-Identifier: MIT
// The judge against golden/products.json, bit for bit, and judges made wrong on purpose.
#include "support/reference.hpp"

#include <gtest/gtest.h>

#include "support/golden.hpp"

namespace ab::test {
namespace {

TEST(Reference, AgreesWithEveryGoldenProduct) {
  ASSERT_EQ(golden_products().size(), 60u);
  for (const GoldenProduct& golden : golden_products()) {
    for (const auto& [precision, expected] : golden.expect) {
      const Verdict got = judge(golden.call, precision);
      EXPECT_EQ(difference(golden.call, expected.c, got.c), "") << word_of(precision);
      EXPECT_EQ(expected.report, got.report) << golden.call.name << " " << word_of(precision);
    }
  }
}

TEST(Reference, GoldenProductsTellWrongCallsApart) {  // each of these would pass unseen if the table were blind to it
  int moved = 0, beta = 0, ops = 0;
  for (const GoldenProduct& golden : golden_products()) {
    Call wrong = golden.call;
    if (!wrong.a.empty()) wrong.a[0] = double_of(word_of(wrong.a[0]) ^ 1);
    moved += difference(wrong, golden.expect.at(Precision::Exact).c, judge(wrong, Precision::Exact).c).empty() ? 0 : 1;
    wrong = golden.call;
    wrong.beta = -wrong.beta;
    beta += difference(wrong, golden.expect.at(Precision::Fp64).c, judge(wrong, Precision::Fp64).c).empty() ? 0 : 1;
    wrong = golden.call;
    if (wrong.transa == Op::ConjugateTranspose && wrong.type == Type::Complex) wrong.transa = Op::Transpose;
    ops += difference(wrong, golden.expect.at(Precision::Fp64).c, judge(wrong, Precision::Fp64).c).empty() ? 0 : 1;
  }
  EXPECT_GE(moved, 20);
  EXPECT_GE(beta, 20);
  EXPECT_GE(ops, 3);
}

TEST(Reference, DifferenceNamesTheEntry) {
  Call call;
  call.name = "here", call.m = call.n = 2, call.ldc = 3;
  const std::vector<double> zeros(6, 0.0);
  std::vector<double> other = zeros;
  EXPECT_EQ(difference(call, zeros, other), "");
  other[4] = -0.0;
  EXPECT_NE(difference(call, zeros, other).find("here: entry (1, 1) part 0"), std::string::npos);
  other.pop_back();
  EXPECT_NE(difference(call, zeros, other), "");
}

TEST(Reference, ExpectedReportsFollowTheTable) {  // docs/numerics.md 1.1 and 7.1
  Report crt;
  crt.path = "crt", crt.form = "split", crt.level = "G2", crt.budget = 131, crt.bound = 512, crt.escalations = 3;
  const ProductReport report = expected_report(crt, Precision::Fp64, ModuliFamily::Ten);
  EXPECT_EQ(report.scheme, Scheme::Crt10Bit);
  EXPECT_EQ(report.moduli, 14);
  EXPECT_EQ(report.guard, 2);
  EXPECT_EQ(report.complex_form, 4);
  EXPECT_EQ(report.bound, 0.5);
  EXPECT_EQ(report.escalations, 3);
  EXPECT_EQ(report.fallback_reason, Reason::None);
  Report ieee;
  ieee.path = "ieee", ieee.level = "none", ieee.bound = -1, ieee.reason = "nonfinite";
  const ProductReport other = expected_report(ieee, Precision::Fast, ModuliFamily::Int8);
  EXPECT_EQ(other.scheme, Scheme::Ieee);
  EXPECT_EQ(other.guard, -1);
  EXPECT_EQ(other.bound, -1);
  EXPECT_EQ(other.fallback_reason, Reason::Nonfinite);
}

}  // namespace
}  // namespace ab::test
