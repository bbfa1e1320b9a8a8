// SPDX-License-Identifier: MIT
// The generator draws what the Python reference drew: the golden inputs can be made again, bit for bit.
#include "support/data.hpp"

#include <gtest/gtest.h>

#include "support/golden.hpp"

namespace ab::test {
namespace {

struct Scalars {
  Complex alpha, beta;
};

constexpr std::array<Shape, 7> shapes = {{{3, 4, 5}, {1, 1, 80}, {5, 2, 17}, {2, 6, 33}, {4, 4, 16}, {7, 3, 9}, {3, 3, 64}}};
constexpr std::array<std::array<Op, 2>, 6> ops = {{{Op::None, Op::None},
                                                   {Op::Transpose, Op::None},
                                                   {Op::None, Op::Transpose},
                                                   {Op::Transpose, Op::Transpose},
                                                   {Op::ConjugateTranspose, Op::None},
                                                   {Op::None, Op::ConjugateTranspose}}};

void expect_golden(const GoldenProduct& golden, const Call& made) {
  const auto same = [](const std::vector<double>& x, const std::vector<double>& y) {
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [](double u, double v) { return word_of(u) == word_of(v); });
  };
  EXPECT_TRUE(same(golden.call.a, made.a)) << golden.call.name;
  EXPECT_TRUE(same(golden.call.b, made.b)) << golden.call.name;
  EXPECT_TRUE(same(golden.call.c, made.c)) << golden.call.name;
  EXPECT_EQ(golden.call.lda, made.lda) << golden.call.name;
  EXPECT_EQ(golden.call.ldb, made.ldb) << golden.call.name;
  EXPECT_EQ(golden.call.ldc, made.ldc) << golden.call.name;
}

TEST(Data, MakesTheGoldenInputsAgain) {  // all real families, then the complex ones that the table has
  Random random(20);
  std::size_t at = 0;
  for (std::size_t t = 0; t < data_families.size(); ++t, ++at) {
    Recipe recipe;
    recipe.family = data_families[t], recipe.shape = shapes[t % 7], recipe.padding = static_cast<Index>(t % 3);
    recipe.transa = ops[t % 6][0], recipe.transb = ops[t % 6][1];
    expect_golden(golden_products()[at], make_call(recipe, random));
  }
  constexpr std::array<std::string_view, 10> complex_families = {"uniform", "normal", "tails", "integers",  "cancel",
                                                                 "opposed", "scaled", "zeros", "underflow", "wide"};
  for (std::size_t t = 0; t < complex_families.size(); ++t, ++at) {
    Recipe recipe;
    recipe.family = complex_families[t], recipe.shape = shapes[t % 7], recipe.padding = static_cast<Index>(t % 2);
    recipe.shape.k = std::min<Index>(std::max<Index>(recipe.shape.k, 16), 24);
    recipe.type = Type::Complex, recipe.transa = ops[t % 6][0], recipe.transb = ops[t % 6][1];
    expect_golden(golden_products()[at], make_call(recipe, random));
  }
}

TEST(Data, TiltMovesImaginaryPartsOnly) {
  Random random(3);
  Matrices x = matrices("uniform", {2, 2, 3}, Type::Complex, random);
  const Matrices before = x;
  tilt(x, -20, std::nullopt);
  for (std::size_t i = 0; i < x.a.size(); i += 2) {
    EXPECT_EQ(x.a[i], before.a[i]);
    EXPECT_EQ(x.a[i + 1], before.a[i + 1] * 0x1p-20);
    EXPECT_EQ(x.b[i], before.b[i]);
    EXPECT_EQ(x.b[i + 1], 0.0);
  }
}

}  // namespace
}  // namespace ab::test
