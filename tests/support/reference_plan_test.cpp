// SPDX-License-Identifier: MIT
// The judge's single steps against golden/units.json: scan, Lambda, integers, residues, pairs, double-float.
#include "support/reference_plan.hpp"

#include <gtest/gtest.h>

#include "support/golden.hpp"
#include "support/reference_crt.hpp"
#include "support/reference_dd.hpp"

namespace ab::test {
namespace {

TEST(ReferenceSteps, Scan) {
  for (const auto& unit : golden_units().scan) {
    const Vectors vectors{1, 1, static_cast<Index>(unit.words.size()), unit.words};
    const Scanned got = scan(vectors, 0, {});
    ASSERT_EQ(got.zero, unit.zero);
    for (const auto& [budget, shift] : unit.shift) EXPECT_EQ(reference_shift(got, budget), shift);
    if (unit.zero) continue;
    EXPECT_EQ(std::tuple(got.E, got.nmin, got.L, got.G, got.S, got.R[0], got.low[0], got.top[0]),
              std::tuple(unit.E, unit.nmin, unit.L, unit.G, unit.S, unit.R, unit.low, unit.top));
    std::vector<int> bins;
    for (const int h : got.bins[0]) {
      if (h != 0) bins.push_back(h);
    }
    EXPECT_EQ(bins, unit.bins);
  }
}

TEST(ReferenceSteps, Rearranged) {
  for (const auto& unit : golden_units().rearranged) {
    EXPECT_EQ(BigInt(reference_rearranged(unit.left, unit.right, unit.inner)), unit.result);
  }
}

TEST(ReferenceSteps, ScaledIntegers) {
  int judged = 0;
  for (const auto& [x, shift, result] : golden_units().integer) {
    if (abs(result) >= BigInt(1) << 126) continue;  // no budget asks for these
    EXPECT_EQ(BigInt(scaled_integer(x, shift)), result);
    ++judged;
  }
  EXPECT_GE(judged, 70);
}

TEST(ReferenceSteps, Residues) {
  for (const auto& [name, family] : golden_units().moduli) {
    const auto list = coprime_from(family.list[0], family.list.size());
    EXPECT_TRUE(std::equal(list.begin(), list.end(), family.list.begin(), family.list.end()));
  }
  for (const auto& unit : golden_units().reconstruct) {
    const auto& list = golden_units().moduli.at(unit.family).list;
    const std::vector<std::int64_t> used(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(unit.residues.size()));
    for (std::size_t l = 0; l < used.size(); ++l) EXPECT_EQ(reference_residue(unit.x, used[l]), unit.residues[l]);
    EXPECT_EQ(garner(unit.residues, used, unit.budget), unit.x);
  }
}

Single single_of(std::uint32_t word) {
  const Decoded d = decode(word_of(static_cast<double>(std::bit_cast<float>(word))));
  return rn24(d.n, d.e);
}
Pair pair_in(const std::array<std::uint32_t, 2>& words) {
  return {single_of(words[0]), single_of(words[1])};
}

TEST(ReferenceSteps, Pairs) {
  for (const auto& [x, hi, lo] : golden_units().pair) {
    const Pair pair = pair_of(decode(x));
    EXPECT_TRUE(same(pair.hi, single_of(hi)) && same(pair.lo, single_of(lo)));
  }
}

TEST(ReferenceSteps, DoubleFloat) {
  for (const auto& unit : golden_units().dd) {
    const Pair a = pair_in(unit.a), b = pair_in(unit.b), c = pair_in(unit.c);
    const Pair f = step(a, b, c), expected_f = pair_in(unit.fma), g = add(a, c), expected_g = pair_in(unit.add);
    EXPECT_TRUE(same(f.hi, expected_f.hi) && same(f.lo, expected_f.lo));
    EXPECT_TRUE(same(g.hi, expected_g.hi) && same(g.lo, expected_g.lo));
  }
}

}  // namespace
}  // namespace ab::test
