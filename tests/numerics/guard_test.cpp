// SPDX-License-Identifier: MIT
// Certificates against the judge: golden Lambdas, random looks, records at the limits of their widths, hand-made cases.
#include "numerics/guard.hpp"

#include <gtest/gtest.h>

#include "support/data.hpp"
#include "support/golden.hpp"
#include "support/look.hpp"
#include "support/reference_plan.hpp"

namespace ab::numerics {
namespace {

using test::BigInt;

TEST(Guard, GoldenAlignments) {
  ASSERT_EQ(test::golden_units().rearranged.size(), 12u);
  for (const auto& unit : test::golden_units().rearranged) {
    EXPECT_EQ(BigInt(rearranged(unit.left, unit.right, unit.inner)), unit.result);
  }
}

/// Counts that grow to at most `inner`, from bin 2 on, in a few steps or many.
Profile random_profile(Index inner, test::Random& random) {
  Profile out{};
  std::uint64_t count = 0;
  const std::uint64_t chance = 1 + random.below(20);
  for (std::size_t h = 2; h < out.size(); ++h) {
    if (random.below(chance) == 0) count += random.below(static_cast<std::uint64_t>(inner) - count + 1);
    out[h] = static_cast<std::uint32_t>(count);
  }
  return out;
}

TEST(Guard, AlignmentIsTheSumOverAllPairsOfBins) {
  test::Random random(1);
  for (int t = 0; t < 3000; ++t) {
    const Index inner = t % 3 == 0 ? (Index{1} << 31) - 1 : 1 + static_cast<Index>(random.below(200));
    const Profile left = random_profile(inner, random), right = random_profile(inner, random);
    const Wide got = rearranged(left, right, inner);
    EXPECT_EQ(BigInt(got), BigInt(test::reference_rearranged(left, right, inner)));
    EXPECT_EQ(got, rearranged(right, left, inner));
  }
}

/// A record and its twin for the judge.
struct Twins {
  Record record{};
  test::Scanned scanned;
};

/// Anything that fits the widths of 5.1, whether or not a vector could have it.
Twins random_twins(int parts, test::Random& random) {
  Twins out;
  Record& r = out.record;
  test::Scanned& s = out.scanned;
  if (random.below(8) == 0) {
    r.flags = AB_RECORD_ZERO;
    return out;
  }
  s.zero = false;
  s.L = r.L = 29 + static_cast<int>(random.below(35));
  s.S = r.S = std::uint64_t{1} << (r.L - 1);
  s.E = r.E = static_cast<int>(random.below(2000)) - 1000;
  s.nmin = r.nmin = r.E - static_cast<int>(random.below(random.below(2) == 0 ? 120 : 20));
  s.low = {AB_NO_LOW, AB_NO_LOW}, s.top = {AB_NO_TOP, AB_NO_TOP};
  const int filled = static_cast<int>(random.below(4));  // 1: only the first part, 2: only the second
  for (std::size_t p = 0; p < static_cast<std::size_t>(parts); ++p) {
    if (parts == 2 && filled == static_cast<int>(2 - p)) continue;
    s.R[p] = 1 + (random.bits() >> (18 + random.below(40)));
    s.low[p] = s.nmin - static_cast<int>(random.below(random.below(3) == 0 ? 10 : 60));
    s.top[p] = s.E;
  }
  r.low_re = s.low[0], r.low_im = s.low[1], r.top_re = s.top[0], r.top_im = s.top[1];
  r.R_re = s.R[0], r.R_im = s.R[1];
  return out;
}

struct RandomLook {
  test::LookData data;
  std::vector<test::Scanned> left, right;
};

RandomLook random_look(test::Random& random) {
  RandomLook out;
  out.data.parts = 1 + static_cast<int>(random.below(2));
  const std::size_t groups = 1 + random.below(4);
  for (std::size_t g = 0; g < groups; ++g) {
    out.data.group_sizes.push_back(1 + static_cast<Index>(random.below(random.below(2) == 0 ? 30 : 500000000)));
    for (int p = 0; p < out.data.parts; ++p) {
      out.data.left_profiles.push_back(random_profile(out.data.group_sizes.back(), random));
      out.data.right_profiles.push_back(random_profile(out.data.group_sizes.back(), random));
    }
  }
  const auto fill = [&](std::vector<Record>& records, std::vector<test::Scanned>& scanned) {
    for (std::size_t i = 1 + random.below(3); i-- > 0;) {
      const Twins twins = random_twins(out.data.parts, random);
      records.push_back(twins.record), scanned.push_back(twins.scanned);
    }
  };
  fill(out.data.left, out.left);
  fill(out.data.right, out.right);
  return out;
}

TEST(Guard, CertifiesAsTheJudgeAtTheLimitsOfTheWidths) {
  test::Random random(2);
  std::array<int, 3> levels{};
  int saturated = 0;
  for (int t = 0; t < 4000; ++t) {
    const RandomLook look = random_look(random);
    const auto live = [](const std::vector<test::Scanned>& side) {
      return std::any_of(side.begin(), side.end(), [](const test::Scanned& s) { return !s.zero; });
    };
    const test::Overlap overlap = [&](int x, int y) -> test::UInt128 {
      test::UInt128 sum = 0;
      for (std::size_t g = 0; live(look.left) && live(look.right) && g < look.data.group_sizes.size(); ++g) {
        const std::size_t at = g * static_cast<std::size_t>(look.data.parts);
        sum += test::reference_rearranged(look.data.left_profiles[at + static_cast<std::size_t>(x)],
                                          look.data.right_profiles[at + static_cast<std::size_t>(y)], look.data.group_sizes[g]);
      }
      return sum;
    };
    Stances left, right;  // kept: the second time they are not made again
    Look keeping = look.data.look();
    keeping.left.stances = &left, keeping.right.stances = &right;
    for (int index = 0; index < static_cast<int>(ladder.size()); ++index) {
      const Rung got = certify(look.data.look(), index);
      for (int time = 0; time < 2; ++time) {
        const Rung kept = certify(keeping, index);
        ASSERT_EQ(std::tuple(kept.index, kept.level, kept.bound), std::tuple(got.index, got.level, got.bound)) << t;
      }
      const test::Certificate expected = test::reference_certify({look.left, look.right, look.data.parts}, index, overlap);
      ASSERT_EQ(std::tuple(got.index, got.level, got.bound), std::tuple(index, expected.level, expected.bound)) << t;
      ++levels[static_cast<std::size_t>(got.level)];
      saturated += got.bound == no_certificate ? 1 : 0;
    }
  }
  for (const int seen : levels) EXPECT_GT(seen, 200);  // every branch was taken
  EXPECT_GT(saturated, 20);
}

TEST(Guard, KeptStancesAreMadeOnce) {
  Record record{};
  record.L = 40, record.low_re = -200, record.low_im = AB_NO_LOW, record.R_re = 1000;
  Stances stances;
  const Stance first = stances.of({{&record, 1}, {}}, 1, 1);
  record.R_re = 5000;
  EXPECT_EQ(BigInt(stances.of({{&record, 1}, {}}, 1, 1).sum[0]), BigInt(first.sum[0]));
  EXPECT_GT(BigInt(stances.of({{&record, 1}, {}}, 1, 2).sum[0]), BigInt(first.sum[0]));  // another budget
}

test::Vectors vectors_of(std::initializer_list<double> values) {
  test::Vectors out{1, 1, static_cast<Index>(values.size()), {}};
  for (const double x : values) out.words.push_back(test::word_of(x));
  return out;
}

TEST(Guard, HandMadeCases) {
  const test::Vectors small = vectors_of({1, 2, 3}), zero = vectors_of({0, -0.0, 0});
  const test::Vectors wide = vectors_of({1, 0x1.0000000000001p-60, 0}), other = vectors_of({0, 0, 0x1.8000000000001p-30});
  EXPECT_EQ(certify(test::first_look(small, small).look(), 0).level, 0);  // integers are exact
  EXPECT_EQ(certify(test::first_look(wide, zero).look(), 0).level, 2);    // one side inexact, the other zero: range knows nothing,
  EXPECT_EQ(certify(test::first_look(wide, zero).look(), 0).bound, 0);    // rearrangement that there is no error
  EXPECT_EQ(certify(test::first_look(zero, wide).look(), 0).bound, 0);
  const Rung apart = certify(test::first_look(wide, other).look(), 0);  // large entries may meet only zeros
  EXPECT_EQ(apart.level, 1);
  const test::LookData look = test::first_look(wide, vectors_of({1, 1, 1}));
  EXPECT_EQ(certify(look.look(), 0).level, 2);
  EXPECT_LT(certify(look.look(), 6).bound, certify(look.look(), 0).bound);
}

TEST(Guard, ASpoiltLookGivesAnotherCertificate) {  // the comparisons above would notice
  test::Random random(3);
  test::Recipe recipe;
  recipe.family = "tails", recipe.shape = {3, 3, 24}, recipe.type = test::Type::Complex;
  const test::Call call = test::make_call(recipe, random);
  const test::LookData right = test::first_look(test::left_vectors(call), test::right_vectors(call));
  const std::int64_t bound = certify(right.look(), 1).bound;
  test::LookData wrong = right;
  for (Profile& profile : wrong.left_profiles) std::rotate(profile.begin(), profile.begin() + 1, profile.end());  // one bin off
  EXPECT_NE(certify(wrong.look(), 1).bound, bound);
  wrong = right;
  for (Record& record : wrong.left) record.R_re = record.R_im = record.R_re / 2;
  EXPECT_NE(certify(wrong.look(), 1).bound, bound);
  wrong = right;
  --wrong.group_sizes[0];
  EXPECT_NE(certify(wrong.look(), 1).bound, bound);
  wrong = right;
  for (Record& record : wrong.right) record.L += 2;
  EXPECT_NE(certify(wrong.look(), 1).bound, bound);
}

}  // namespace
}  // namespace ab::numerics
