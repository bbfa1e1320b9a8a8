// SPDX-License-Identifier: MIT
// Whole plans (looks, inner exponents, forms) against the judge on every family of data, and plans made wrong on purpose.
#include "numerics/plan.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/data.hpp"
#include "support/golden.hpp"
#include "support/look.hpp"
#include "support/reference_plan.hpp"

namespace ab::numerics {
namespace {

constexpr std::array<Precision, 3> classes = {Precision::Fast, Precision::Fp64, Precision::Strict};

/// The plan of one form as the steps of docs/numerics.md 8.5 and 8.6 make it from the functions under test.
struct Found {
  std::optional<Rung> rung;
  int look = 1;
  std::vector<std::int32_t> kappa;  // empty: none
  bool split = false;
};

using InnerPlan = Inner (*)(std::span<const std::int32_t>, std::span<const std::int32_t>);

Found both_looks(const test::Vectors& left, const test::Vectors& right, std::int64_t limit, int first, InnerPlan inner_plan) {
  Found found{climb(test::first_look(left, right).look(), limit, first), 1, {}, false};
  if (!wants_second_look(found.rung, first)) return found;
  const Inner inner = inner_plan(test::first_peaks(left), test::first_peaks(right));
  if (inner.group_sizes.empty()) return found;
  const test::LookData data = test::second_look(left, right, inner);
  const std::optional<Rung> again = climb(data.look(), limit, first);
  if (!again || (found.rung && again->index >= found.rung->index)) return found;
  return {again, 2, inner.any_kappa ? inner.kappa : std::vector<std::int32_t>(), false};
}

Found plan(const test::Call& call, Precision precision, InnerPlan inner_plan = plan_inner) {
  const test::Vectors left = test::left_vectors(call), right = test::right_vectors(call);
  const int first = first_rung(precision);
  const std::int64_t limit = contract(precision, call.k, call.parts());
  Found joint = both_looks(left, right, limit, first, inner_plan);
  if (call.parts() == 1 || !wants_second_look(joint.rung, first)) return joint;
  Found split = both_looks(test::split_parts(left), test::split_parts(right), limit, first, inner_plan);
  if (!split.rung || !takes_split(joint.rung, *split.rung)) return joint;
  split.split = true;
  return split;
}

std::string described(const Found& found) {
  if (!found.rung) return "none";
  std::string out = "rung " + std::to_string(found.rung->index) + " level " + std::to_string(found.rung->level) + " bound " +
                    std::to_string(found.rung->bound) + " look " + std::to_string(found.look) + (found.split ? " split" : "") + " kappa";
  for (const std::int32_t k : found.kappa) out += " " + std::to_string(k);
  return out;
}

std::string judged(const test::Call& call, Precision precision) {
  const auto expected = test::reference_plan(precision, test::left_vectors(call), test::right_vectors(call));
  if (!expected) return "none";
  const Rung rung{expected->rung.index, expected->rung.level, expected->rung.bound};
  return described({rung, expected->look, expected->kappa, expected->split});
}

/// Kinds of data that between them reach every branch: families, tilts, holes.
std::vector<test::Call> calls(std::uint64_t start) {
  constexpr std::array<test::Shape, 6> shapes = {{{1, 1, 1}, {3, 3, 3}, {2, 4, 8}, {3, 2, 15}, {4, 3, 24}, {2, 2, 70}}};
  test::Random random(start);
  std::vector<test::Call> out;
  for (const std::string_view family : test::data_families) {
    for (const test::Shape& shape : shapes) {
      for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
        for (int variant = 0; variant < 3; ++variant) {
          test::Recipe recipe;
          recipe.family = family, recipe.shape = shape, recipe.type = type;
          recipe.transa = variant == 1 ? Op::ConjugateTranspose : Op::None;
          recipe.edit = [&](test::Matrices& x) {
            if (variant == 1 && type == test::Type::Complex)
              tilt(x, 10 - static_cast<int>(random.below(60)), 10 - static_cast<int>(random.below(60)));
            if (variant != 2) return;
            for (double& value : x.a) value = random.below(4) == 0 ? 0.0 : std::ldexp(value, -static_cast<int>(random.below(40)));
            for (double& value : x.b) value = random.below(4) == 0 ? 0.0 : std::ldexp(value, -static_cast<int>(random.below(40)));
          };
          out.push_back(test::make_call(recipe, random));
        }
      }
    }
  }
  return out;
}

TEST(Plan, IsTheJudgesOnEveryFamily) {
  std::set<std::string> seen;
  for (const test::Call& call : calls(1)) {
    for (const Precision precision : classes) {
      const Found found = plan(call, precision);
      EXPECT_EQ(described(found), judged(call, precision)) << call.name << " " << word_of(precision) << " k " << call.k;
      if (!found.rung) {
        seen.insert("none");
        continue;
      }
      seen.insert("G" + std::to_string(found.rung->level) + "." + std::to_string(found.look) + (found.kappa.empty() ? "" : "k") +
                  (found.split ? "s" : ""));
    }
  }
  for (const char* kind : {"none", "G0.1", "G1.1", "G2.1", "G2.2", "G2.2k", "G0.1s", "G2.1s", "G2.2ks"}) {
    EXPECT_TRUE(seen.contains(kind)) << "the data never reaches " << kind;
  }
}

TEST(Plan, IsTheGoldenOne) {
  for (const test::GoldenProduct& golden : test::golden_products()) {
    for (const Precision precision : classes) {
      const test::Report& report = golden.expect.at(precision).report;
      if (report.path != "crt") continue;
      const Found found = plan(golden.call, precision);
      ASSERT_TRUE(found.rung) << golden.call.name;
      EXPECT_EQ(ladder[static_cast<std::size_t>(found.rung->index)], report.budget) << golden.call.name;
      EXPECT_EQ("G" + std::to_string(found.rung->level), report.level) << golden.call.name;
      EXPECT_EQ(found.rung->bound, report.bound) << golden.call.name;
      EXPECT_EQ(found.look, report.look) << golden.call.name;
      EXPECT_EQ(found.kappa.empty() ? 0 : 1, report.kappa) << golden.call.name;
      EXPECT_EQ(found.rung->index - first_rung(precision), report.escalations) << golden.call.name;
      EXPECT_EQ(found.split, report.form == "split") << golden.call.name;
    }
  }
}

TEST(Plan, Contracts) {
  for (const Precision precision : classes) {
    EXPECT_EQ(first_rung(precision), test::reference_first(precision));
    for (const Index k : {Index{1}, Index{2}, Index{1000}, (Index{1} << 31) - 1}) {
      for (const int parts : {1, 2}) EXPECT_EQ(contract(precision, k, parts), test::reference_contract(precision, k, parts));
    }
  }
  EXPECT_EQ(contract(Precision::Fp64, 1, 1), 0);
  EXPECT_EQ(contract(Precision::Fp64, 1, 2), 1023);
  EXPECT_EQ(contract(Precision::Fast, 1, 1), 1024 * (32 * 16 - 1) - 1);
  EXPECT_EQ(contract(Precision::Strict, 7, 2), 5120);
}

TEST(Plan, WhenToLookAgainAndWhenToSplit) {
  EXPECT_TRUE(wants_second_look(std::nullopt, 1));
  EXPECT_FALSE(wants_second_look(Rung{1, 2, 0}, 1));
  EXPECT_FALSE(wants_second_look(Rung{2, 2, 0}, 1));
  EXPECT_TRUE(wants_second_look(Rung{3, 2, 0}, 1));
  EXPECT_TRUE(takes_split(std::nullopt, Rung{6, 2, 0}));
  EXPECT_FALSE(takes_split(Rung{5, 2, 0}, Rung{1, 2, 0}));  // 436 < 417 is false
  EXPECT_TRUE(takes_split(Rung{5, 2, 0}, Rung{0, 2, 0}));   // 392 < 417
  EXPECT_TRUE(takes_split(Rung{6, 2, 0}, Rung{1, 2, 0}));   // 436 < 447
  EXPECT_TRUE(takes_split(Rung{4, 2, 0}, Rung{0, 2, 0}));   // 392 < 393
  EXPECT_FALSE(takes_split(Rung{3, 2, 0}, Rung{0, 2, 0}));  // 392 < 375 is false
}

TEST(Plan, InnerExponentsRoundTowardZero) {
  const std::vector<std::int32_t> left = {0, -3, -8, no_peak, -1, 0}, right = {-3, 0, -1, 0, no_peak, 0};
  const Inner inner = plan_inner(left, right);
  EXPECT_EQ(inner.kappa, (std::vector<std::int32_t>{-1, 1, 3, 0, 0, 0}));
  EXPECT_TRUE(inner.any_kappa);
  EXPECT_EQ(inner.group, (std::vector<std::int32_t>{1, 1, -1, -1, -1, 0}));  // sums -3 and -3, -9, unmet, unmet, 0
  EXPECT_EQ(inner.group_sizes, (std::vector<Index>{1, 2}));
  const Inner swapped = plan_inner(right, left);
  for (std::size_t k = 0; k < left.size(); ++k) EXPECT_EQ(swapped.kappa[k], -inner.kappa[k]);
  EXPECT_EQ(swapped.group, inner.group);
}

TEST(Plan, InnerIndicesThatNeverMeet) {
  const Inner unmet = plan_inner(std::vector<std::int32_t>{no_peak, 0}, std::vector<std::int32_t>{0, no_peak});
  EXPECT_TRUE(unmet.group_sizes.empty());
  EXPECT_FALSE(unmet.any_kappa);
  const Inner flat = plan_inner(std::vector<std::int32_t>{-5, -6}, std::vector<std::int32_t>{-5, -5});
  EXPECT_FALSE(flat.any_kappa);  // 1 / 2 rounds to 0
  EXPECT_EQ(flat.group_sizes, (std::vector<Index>{1, 1}));
  EXPECT_TRUE(plan_inner({}, {}).group_sizes.empty());
}

Inner with_floored_kappa(std::span<const std::int32_t> left, std::span<const std::int32_t> right) {
  Inner inner = plan_inner(left, right);
  inner.any_kappa = false;
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (left[k] != no_peak && right[k] != no_peak) inner.kappa[k] = (right[k] - left[k]) >> 1;
    inner.any_kappa |= inner.kappa[k] != 0;
  }
  return inner;
}

Inner with_wrong_groups(std::span<const std::int32_t> left, std::span<const std::int32_t> right) {
  Inner inner = plan_inner(left, right);  // everything that is met in one group
  Index met = 0;
  for (std::size_t k = 0; k < left.size(); ++k) {
    inner.group[k] = left[k] != no_peak && right[k] != no_peak ? 0 : -1;
    met += inner.group[k] == 0 ? 1 : 0;
  }
  if (met > 0) inner.group_sizes = {met};
  return inner;
}

TEST(Plan, BrokenInnerPlansAreCaught) {
  int floored = 0, grouped = 0;
  for (const test::Call& call : calls(2)) {
    for (const Precision precision : classes) {
      const std::string expected = judged(call, precision);
      floored += described(plan(call, precision, with_floored_kappa)) != expected ? 1 : 0;
      grouped += described(plan(call, precision, with_wrong_groups)) != expected ? 1 : 0;
    }
  }
  EXPECT_GT(floored, 10);
  EXPECT_GT(grouped, 10);
}

}  // namespace
}  // namespace ab::numerics
