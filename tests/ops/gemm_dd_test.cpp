// SPDX-License-Identifier: MIT
// Double-float at its limits: range, forms, long sums (docs/numerics.md 10).
#include <gtest/gtest.h>

#include <cmath>

#include "support/data.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

using test::Call;

test::Ran expect_judged(const Call& call) {
  const Choices choices = test::choices_for(Precision::DoubleFloat);
  const test::Ran ran = run_call(test::context_of(), call, test::Way::Adopted, choices);
  EXPECT_EQ(difference_of_run(call, judge(call, Precision::DoubleFloat), ran, choices), "") << call.name;
  return ran;
}

Call drawn(const test::Shape& shape, test::Type type, std::function<void(test::Matrices&)> edit) {
  test::Random random(71);
  test::Recipe recipe;
  recipe.family = "normal", recipe.shape = shape, recipe.type = type, recipe.edit = std::move(edit);
  return make_call(recipe, random);
}

// Vectors whose exponents reach from 0 down to the given depths.
Call with_depths(int left, int right, test::Type type) {
  return drawn({2, 2, 20}, type, [=](test::Matrices& x) {
    for (double* side : {x.a.data(), x.b.data()}) {
      for (std::size_t i = 0; i < x.a.size(); ++i) side[i] = std::ldexp(0.5 + std::fabs(side[i]) / 64, 1);  // in [1, 2)
    }
    x.at_a(0, 3) = std::ldexp(x.at_a(0, 3), -left);
    x.at_b(5, 1) = std::ldexp(x.at_b(5, 1), -right);
  });
}

TEST(GemmDd, TheRangeEndsWhereItShould) {
  const auto scheme = [](int left, int right, test::Type type) {
    return expect_judged(with_depths(left, right, type)).outcome.report.scheme;
  };
  for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
    EXPECT_EQ(scheme(119, 22, type), Scheme::DoubleFloat);
    EXPECT_EQ(scheme(119, 23, type), Scheme::Ieee);
    EXPECT_EQ(scheme(120, 0, type), Scheme::Ieee);
    EXPECT_EQ(scheme(0, 119, type), Scheme::DoubleFloat);
    EXPECT_EQ(scheme(70, 71, type), Scheme::DoubleFloat);
    EXPECT_EQ(scheme(71, 71, type), Scheme::Ieee);
  }
}

TEST(GemmDd, ThreeProductsOrFour) {
  const auto form = [](const Call& call) { return expect_judged(call).outcome.report.complex_form; };
  EXPECT_EQ(form(with_depths(56, 56, test::Type::Complex)), 3);
  EXPECT_EQ(form(with_depths(56, 57, test::Type::Complex)), 4);
  for (const Index k : {15, 16}) {
    EXPECT_EQ(form(drawn({2, 3, k}, test::Type::Complex, {})), k < 16 ? 4 : 3) << k;
  }
  for (const int shift : {-3, 3}) {
    EXPECT_EQ(form(drawn({3, 3, 30}, test::Type::Complex, [&](test::Matrices& x) { tilt(x, shift, 8 * shift); })), 4);
    EXPECT_EQ(form(drawn({3, 3, 30}, test::Type::Complex, [&](test::Matrices& x) { tilt(x, shift, -shift); })), 3);
  }
  EXPECT_EQ(form(drawn({3, 3, 30}, test::Type::Complex, [](test::Matrices& x) { tilt(x, std::nullopt, std::nullopt); })), 3);
  EXPECT_EQ(form(drawn({3, 3, 30}, test::Type::Complex, [](test::Matrices& x) { tilt(x, std::nullopt, -9); })), 4);
}

TEST(GemmDd, LongSumsAreTheJudges) {
  for (const Index k : {63, 64, 65, 127, 128, 129, 1025, 32769, 65537}) expect_judged(drawn({1, 1, k}, test::Type::Real, {}));
  for (const Index k : {64, 129, 4097}) expect_judged(drawn({1, 2, k}, test::Type::Complex, {}));
}

TEST(GemmDd, AnyRowsAndColumnsOfTilesAreTheJudges) {
  for (const Index m : {1, 3, 4, 5, 63, 64, 65}) {
    for (const Index n : {1, 4, 6, 65}) expect_judged(drawn({m, n, 5}, test::Type::Real, {}));
  }
  for (const Index m : {2, 65}) expect_judged(drawn({m, 3, 18}, test::Type::Complex, {}));
}

}  // namespace
}  // namespace ab::ops
