// SPDX-License-Identifier: MIT
// Long sums of extreme residues, whose results are known without the judge: all limits of accumulation (docs/numerics.md 7.3, 13.1).
#include <gtest/gtest.h>

#include <bit>

#include "numerics/moduli.hpp"
#include "support/random.hpp"
#include "support/reference_plan.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

using test::BigInt;

constexpr std::array<Index, 25> limits = {1,    2,     15,    16,    63,    64,    65,    127,   128,   129,    1023,   1024,  1025,
                                          4095, 32767, 32768, 32769, 65535, 65536, 65537, 65793, 65794, 131071, 131072, 131073};
constexpr std::array<Precision, 3> classes = {Precision::Fast, Precision::Fp64, Precision::Strict};

enum class Extreme { Lowest, Highest };  // symmetric residues: -floor(m/2), ceil(m/2) - 1

// x = r_l mod m_l for the first moduli whose product stays below `limit`; every r_l is the extreme residue.
struct Congruence {
  BigInt x = 0, modulus = 1;
};
Congruence solve(std::span<const int> moduli, Extreme extreme, const BigInt& limit, bool odd_only) {
  Congruence out;
  for (const int m : moduli) {
    if (odd_only && m % 2 == 0 && m != 256) continue;
    if (out.modulus * m > limit) break;
    const int r = extreme == Extreme::Lowest ? -(m / 2) : (m + 1) / 2 - 1;
    while (((out.x - r) % m + m) % m != 0) out.x += out.modulus;
    out.modulus *= m;
  }
  return out;
}

int shift_of(double x, Index k, int budget) {
  test::Scanned constant = test::scan({1, 1, 1, {test::word_of(x)}}, 0, {});
  constant.S *= static_cast<std::uint64_t>(k);
  constant.L = std::bit_width(constant.S);
  return test::reference_shift(constant, budget);
}

// An FP64 number whose scaled integer in a constant vector of K entries is itself, with extreme residues for as many moduli as fit.
std::optional<double> extreme_entry(ModuliFamily family, Extreme extreme, Index k, int budget) {
  for (int bits = 60; bits > 30; --bits) {           // of the integer
    const BigInt least = BigInt(5) << (bits - 3);    // 1.25 2^(bits - 1): a little more does not change the bits of the sum of squares
    const int trailing = bits > 53 ? bits - 53 : 0;  // zeros that a word of 53 bits needs
    if (trailing > 0 && extreme == Extreme::Highest && family == ModuliFamily::Int8) continue;  // 127 mod 256 is odd
    Congruence c = solve(numerics::family_of(family), extreme, least / (BigInt(1) << (trailing + 6)), trailing > 0);
    BigInt x = least + (c.x - least % c.modulus + c.modulus) % c.modulus;
    while (trailing > 0 && x % (BigInt(1) << trailing) != 0) x += c.modulus;
    const double entry = static_cast<double>(x);
    if (BigInt(entry) == x && shift_of(entry, k, budget) == 0) return entry;
  }
  return std::nullopt;
}

test::Call constants(Index k, double left, const std::vector<double>& right, test::Type type) {
  test::Call call;
  call.name = "constant vectors of " + std::to_string(k);
  call.type = type;
  const auto parts = static_cast<std::size_t>(call.parts());
  call.m = 1, call.n = static_cast<Index>(right.size()), call.k = k, call.lda = 1, call.ldb = k, call.ldc = 1;
  call.a.assign(static_cast<std::size_t>(k) * parts, left);
  for (const double value : right) call.b.insert(call.b.end(), static_cast<std::size_t>(k) * parts, value);
  call.c.assign(right.size() * parts, 0.0);
  return call;
}

void expect_extremes(ModuliFamily family, Precision precision, Index k) {
  const int budget = test::reference_ladder[static_cast<std::size_t>(test::reference_first(precision))];
  const auto low = extreme_entry(family, Extreme::Lowest, k, budget), high = extreme_entry(family, Extreme::Highest, k, budget);
  ASSERT_TRUE(low) << k << " " << budget;
  const double other = high.value_or(*low);
  const test::Call call = constants(k, *low, {*low, other, -other}, test::Type::Real);
  const test::Ran ran = run_call(test::context_of(), call, test::Way::Adopted, test::choices_for(precision, family));
  const ProductReport& report = ran.outcome.report;
  EXPECT_EQ(report.guard, 0);
  EXPECT_EQ(report.moduli, numerics::moduli(family, budget).count) << "another budget: the residues are not what they were made for";
  for (std::size_t j = 0; j < call.c.size(); ++j) {
    const double right = j == 0 ? *low : j == 1 ? other : -other;
    EXPECT_EQ(test::word_of(ran.c[j]), test::round_to_word(BigInt(k) * BigInt(*low) * BigInt(right), 0)) << k << " column " << j;
  }
}

TEST(GemmCrt, LongSumsOfExtremeResidues) {
  for (const Index k : limits) {
    for (const Precision precision : classes) {
      if (k > 2000 && k % 2 == 0 && precision != Precision::Fp64) continue;
      for (const ModuliFamily family : test::device_families) expect_extremes(family, precision, k);
    }
  }
}

TEST(GemmCrt, TheResiduesAreAsExtremeAsTheyShouldBe) {  // otherwise the test above would prove little
  for (const Index k : {Index{1023}, Index{131072}}) {
    for (const ModuliFamily family : test::device_families) {
      for (const Extreme extreme : {Extreme::Lowest, Extreme::Highest}) {
        const std::optional<double> entry = extreme_entry(family, extreme, k, 109);
        ASSERT_TRUE(entry);
        for (std::size_t l = 0; l < 3; ++l) {
          const int m = numerics::family_of(family)[l], r = extreme == Extreme::Lowest ? -(m / 2) : (m + 1) / 2 - 1;
          EXPECT_EQ((BigInt(*entry) - r) % m, 0) << m;
        }
      }
    }
  }
}

TEST(GemmCrt, LongComplexSumsOfExtremeResidues) {  // (1 + i) x (1 + i) y = 2 i x y; sums of parts are reduced once more
  for (const Index k : {Index{1}, Index{64}, Index{65536}, Index{65793}, Index{131072}}) {
    for (const ModuliFamily family : test::device_families) {
      const std::optional<double> entry = extreme_entry(family, Extreme::Lowest, 2 * k, 109);
      ASSERT_TRUE(entry);
      const test::Call call = constants(k, *entry, {*entry, -*entry}, test::Type::Complex);
      const test::Ran ran = run_call(test::context_of(), call, test::Way::Adopted, test::choices_for(Precision::Fp64, family));
      EXPECT_EQ(ran.outcome.report.complex_form, 3);
      const BigInt expected = 2 * BigInt(k) * BigInt(*entry) * BigInt(*entry);
      EXPECT_EQ(test::word_of(ran.c[0]), 0u);
      EXPECT_EQ(test::word_of(ran.c[1]), test::round_to_word(expected, 0)) << k;
      EXPECT_EQ(test::word_of(ran.c[3]), test::round_to_word(BigInt(-expected), 0)) << k;
    }
  }
}

TEST(GemmCrt, LongSumsOfIntegersAreRoundedOnce) {
  test::Random random(61);
  for (const Index k : limits) {
    test::Call call = constants(k, 0, {0, 0}, test::Type::Real);
    for (std::vector<double>* side : {&call.a, &call.b}) {
      for (double& x : *side) x = static_cast<double>(random.below(1 << 21)) - (1 << 20);
    }
    std::array<std::int64_t, 2> sums{};
    for (std::size_t l = 0; l < call.a.size(); ++l) {
      for (std::size_t j = 0; j < 2; ++j) {
        sums[j] += static_cast<std::int64_t>(call.a[l]) * static_cast<std::int64_t>(call.b[l + j * call.a.size()]);  // below 2^58
      }
    }
    for (const ModuliFamily family : test::device_families) {
      const test::Ran ran = run_call(test::context_of(), call, test::Way::Adopted, test::choices_for(Precision::Fp64, family));
      EXPECT_EQ(ran.outcome.report.guard, 0);
      for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(test::word_of(ran.c[j]), test::round_to_word(sums[j], 0)) << k;
    }
  }
}

}  // namespace
}  // namespace ab::ops
