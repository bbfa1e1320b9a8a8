// SPDX-License-Identifier: MIT
// The exact oracle, and by it every promise of every class on every family of data (docs/numerics.md 8.5, 10.4, 10.6).
#include "support/oracle.hpp"

#include <gtest/gtest.h>

#include "support/data.hpp"
#include "support/golden.hpp"

namespace ab::test {
namespace {

Vectors row(std::vector<double> values) {
  Vectors out{1, 1, static_cast<Index>(values.size()), {}};
  for (const double x : values) out.words.push_back(word_of(x));
  return out;
}

TEST(Oracle, MeasuresToTheLastBit) {
  const ExactPart part = exact_entry(row({1.0, 0x1p-53}), 0, row({1.0, 1.0}), 0)[0];  // P = W = 1 + u
  EXPECT_TRUE(within(word_of(1.0), part, 1024));                                      // error u <= u W
  EXPECT_TRUE(within(word_of(1.0), part, 1023) == false);
  EXPECT_TRUE(within_rounded(word_of(1.0), part, 0));            // the tie rounds to 1
  EXPECT_TRUE(within_rounded(word_of(1.0 + 0x1p-52), part, 0));  // and might as well round up
  EXPECT_FALSE(within_rounded(word_of(1.0 + 0x1p-51), part, 0));
  EXPECT_TRUE(within_rounded(word_of(1.0 + 0x1p-51), part, 2048));
}

TEST(Oracle, KnowsOverflow) {
  const ExactPart part = exact_entry(row({0x1p1023}), 0, row({2.0}), 0)[0];
  EXPECT_TRUE(within_rounded(infinity_word, part, 0));
  EXPECT_FALSE(within_rounded(infinity_word | sign_bit, part, 0));
  const ExactPart small = exact_entry(row({0x1p1022}), 0, row({2.0}), 0)[0];
  EXPECT_FALSE(within_rounded(infinity_word, small, 0));
  EXPECT_FALSE(within_rounded(nan_word, small, 0));
}

/// (|Ar| + |Ai|)(|Br| + |Bi|): what three products promise the imaginary part against.
ExactPart with_3m_weight(ExactPart part, const Vectors& left, Index i, const Vectors& right, Index j) {
  const auto summed = exact_entry(left, i, right, j);
  const int unit = std::min(summed[0].unit, summed[1].unit);
  part.weight = (summed[0].weight << (summed[0].unit - unit)) + (summed[1].weight << (summed[1].unit - unit));
  part.value <<= part.unit - unit;
  part.unit = unit;
  return part;
}

/// Every entry of an unscaled product against the certified bound and against the contract of the class.
void expect_promises(const Call& call, Precision precision) {
  const Verdict verdict = judge(call, precision);
  const Vectors left = left_vectors(call), right = right_vectors(call);
  const Index terms = call.k * call.parts();
  const Index contract = precision == Precision::Fp64 || verdict.report.path == "ieee" ? terms : precision == Precision::Strict ? 6 : 0;
  for (Index i = 0; i < call.m; ++i) {
    for (Index j = 0; j < call.n; ++j) {
      const auto parts = exact_entry(left, i, right, j);
      for (int p = 0; p < call.parts(); ++p) {
        ExactPart part = parts[static_cast<std::size_t>(p)];
        if (p == 1 && verdict.report.form == "3M" && verdict.report.path == "dd") part = with_3m_weight(part, left, i, right, j);
        const Word got = word_of(verdict.c[call.at(i, j) + static_cast<std::size_t>(p)]);
        const std::string what = call.name + " " + word_of(precision) + " " + verdict.report.path + " " + verdict.report.level;
        if (verdict.report.path == "ieee" && !is_finite(got)) continue;
        if (verdict.report.path != "ieee") {
          EXPECT_TRUE(within_rounded(got, part, verdict.report.bound)) << what;
        }
        if (contract > 0 && is_finite(got)) {
          EXPECT_TRUE(within(got, part, 1024 * contract, verdict.report.path == "ieee" ? terms : 1)) << what;
        }
      }
    }
  }
}

TEST(Oracle, EveryClassKeepsItsPromise) {
  Random random(11);
  for (const std::string_view family : data_families) {
    for (const Index k : {1, 2, 7, 24}) {
      for (const Type type : {Type::Real, Type::Complex}) {
        Recipe recipe;
        recipe.family = family, recipe.shape = {3, 3, k}, recipe.type = type;
        recipe.transa = Op::ConjugateTranspose, recipe.transb = Op::Transpose;
        const Call call = make_call(recipe, random);
        for (const Precision precision : all_classes) expect_promises(call, precision);
      }
    }
  }
}

TEST(Oracle, TiltedComplexDataKeepsItsPromise) {
  constexpr std::array<std::array<Tilt, 2>, 8> tilts = {
      {{-20, -24}, {std::nullopt, -30}, {-45, -45}, {40, 50}, {-45, 45}, {std::nullopt, std::nullopt}, {1, -1}, {std::nullopt, 0}}};
  Random random(12);
  for (const auto& [left, right] : tilts) {
    for (const std::string_view family : {"uniform", "aligned", "opposed"}) {
      for (const Index k : {9, 18}) {
        Recipe recipe;
        recipe.family = family, recipe.shape = {2, 2, k}, recipe.type = Type::Complex;
        recipe.edit = [left = left, right = right](Matrices& x) { tilt(x, left, right); };
        const Call call = make_call(recipe, random);
        for (const Precision precision : all_classes) expect_promises(call, precision);
      }
    }
  }
}

TEST(Oracle, CatchesABrokenProduct) {  // the last bit of an exact product, and a certificate that is too good
  Random random(13);
  Recipe recipe;
  recipe.shape = {1, 1, 12};
  int caught = 0;
  for (int t = 0; t < 50; ++t) {
    const Call call = make_call(recipe, random);
    const Vectors left = left_vectors(call), right = right_vectors(call);
    const ExactPart part = exact_entry(left, 0, right, 0)[0];
    const Word exact = word_of(judge(call, Precision::Exact).c[0]);
    ASSERT_TRUE(within_rounded(exact, part, 0));
    EXPECT_FALSE(within_rounded(exact + 1, part, 0) && within_rounded(exact - 1, part, 0));
    const Word fast = word_of(judge(call, Precision::Fast).c[0]);
    caught += within_rounded(fast, part, 0) ? 0 : 1;
  }
  EXPECT_GE(caught, 25);
}

}  // namespace
}  // namespace ab::test
