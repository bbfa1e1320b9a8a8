// SPDX-License-Identifier: MIT
// Double-float numbers: golden steps, conversions, and the proven bounds against exact sums. Built with either fma.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/host.hpp"
#include "support/golden.hpp"
#include "support/random.hpp"
#include "support/word.hpp"

namespace ab::test {
namespace {

using namespace kernels;

pair32 pair_of(const std::array<std::uint32_t, 2>& words) {
  return {std::bit_cast<float>(words[0]), std::bit_cast<float>(words[1])};
}
/// Equal, zeros of either sign.
bool same(pair32 a, pair32 b) {
  return a.hi == b.hi && a.lo == b.lo;
}

TEST(Dd, GoldenUnits) {
  for (const GoldenUnits::PairOf& item : golden_units().pair) {
    EXPECT_TRUE(same(pair_of_word(item.x, 0), pair_of({item.hi, item.lo}))) << std::hex << item.x;
  }
  for (const GoldenUnits::DoubleFloat& item : golden_units().dd) {
    const pair32 a = pair_of(item.a), b = pair_of(item.b), c = pair_of(item.c);
    EXPECT_TRUE(same(dd_step(c, a, b), pair_of(item.fma))) << std::hex << item.fma[0];
    EXPECT_TRUE(same(dd_add(a, c), pair_of(item.add))) << std::hex << item.add[0];
  }
}

/// In units of 2^-400.
BigInt exact(float x) {
  const Decoded d = decode(word_of(static_cast<double>(x)));
  return d.n == 0 ? BigInt(0) : BigInt(BigInt(d.n) << (d.e + 400));
}
BigInt exact(pair32 x) {
  return exact(x.hi) + exact(x.lo);
}

double any_double(Random& random, int spread) {
  const double x = random.uniform();
  return std::ldexp(random.below(8) == 0 ? static_cast<float>(x) : x,
                    static_cast<int>(random.below(static_cast<std::uint64_t>(2 * spread + 1))) - spread);
}

TEST(Dd, ConversionsRoundOnce) {
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    const double x = any_double(random, 40);
    const int scale = static_cast<int>(random.below(41)) - 20;
    const pair32 p = pair_of_word(word_of(x), scale);
    const auto hi = static_cast<float>(x);
    const pair32 expected{std::ldexp(hi, scale), std::ldexp(static_cast<float>(x - static_cast<double>(hi)), scale)};
    ASSERT_TRUE(same(p, expected)) << std::hexfloat << x << " 2^" << scale;
    const int back = static_cast<int>(random.below(2200)) - 1150;
    ASSERT_EQ(word_of_pair(p, back), round_to_word(exact(p), back - 400)) << std::hexfloat << p.hi << " + " << p.lo << " 2^" << back;
  }
}

TEST(Dd, SubnormalWordsAndTiesConvert) {
  for (const double x : {0x1p-1074, 0x1.8p-1060, 0x1.fffffffffffffp-1023, -0x1.0000010000001p-1022}) {
    const double scaled_up = std::ldexp(x, 1070);
    const auto hi = static_cast<float>(scaled_up);
    EXPECT_TRUE(same(pair_of_word(word_of(x), 1070), {hi, static_cast<float>(scaled_up - static_cast<double>(hi))})) << std::hexfloat << x;
  }
  for (const double x : {1 + 0x1p-24, 1 + 0x1p-23 + 0x1p-24, 1 + 0x1p-24 + 0x1p-52, 1 + 0x1p-24 - 0x1p-52, 2 - 0x1p-25}) {
    const pair32 p = pair_of_word(word_of(x), 0);
    EXPECT_EQ(p.hi, static_cast<float>(x));
    EXPECT_EQ(p.lo, static_cast<float>(x - static_cast<double>(p.hi)));
  }
  EXPECT_TRUE(same(pair_of_word(0, 3), {0, 0}));
  EXPECT_EQ(word_of_pair({0, 0}, 3), 0u);
}

/// |got - wanted| <= bound, all in units of 2^-400; bounds come as num 2^-48 (1 + 2^-20) of a magnitude.
bool within(const BigInt& got, const BigInt& wanted, const BigInt& numerator) {
  return (abs(got - wanted) << 48) <= numerator + (numerator >> 20);
}

TEST(Dd, TheStepKeepsItsBound) {  // (13 |ab| + 3 |c|) u^2 (1 + 10 u), docs/numerics.md 10.4
  Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const pair32 a = pair_of_word(word_of(any_double(random, 10)), 0), b = pair_of_word(word_of(any_double(random, 10)), 0);
    const BigInt product = (exact(a) * exact(b)) >> 400;  // exact: both are multiples of 2^-200
    pair32 c = pair_of_word(word_of(any_double(random, 20)), 0);
    if (i % 3 == 0) c = dd_negate(dd_step({0, 0}, a, b));  // cancels
    const pair32 step = dd_step(c, a, b);
    ASSERT_TRUE(within(exact(step), exact(c) + product, 13 * abs(product) + 3 * abs(exact(c))))
        << std::hexfloat << a.hi << ' ' << b.hi << ' ' << c.hi;
    const pair32 again = two_sum(step.hi, step.lo);
    ASSERT_TRUE(same(again, step));  // renormalisation changes no bit
  }
}

TEST(Dd, SumsKeepTheirBound) {  // 3 u^2 / (1 - 4 u) of the sum, docs/numerics.md 10.3
  Random random(3);
  for (int i = 0; i < 100000; ++i) {
    const pair32 a = pair_of_word(word_of(any_double(random, 20)), 0);
    pair32 b = pair_of_word(word_of(any_double(random, 20)), 0);
    if (i % 3 == 0)
      b = pair_of_word(
          word_of(-(static_cast<double>(a.hi) + a.lo) * (1 + std::ldexp(random.uniform(), -static_cast<int>(random.below(48))))), 0);
    const BigInt sum = exact(a) + exact(b), difference = exact(a) - exact(b);
    ASSERT_TRUE(within(exact(dd_add(a, b)), sum, 3 * abs(sum))) << std::hexfloat << a.hi << ' ' << b.hi;
    ASSERT_TRUE(within(exact(dd_subtract(a, b)), difference, 3 * abs(difference)));
    ASSERT_TRUE(same(dd_add(a, b), dd_add(b, a)));
  }
}

}  // namespace
}  // namespace ab::test
