// SPDX-License-Identifier: MIT
// Words, the one rounding, and the host's FP64 (which the judge's epilogue uses) against golden/units.json.
#include "support/word.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/golden.hpp"
#include "support/random.hpp"

namespace ab::test {
namespace {

TEST(Word, HostArithmeticIsIeee) {
  for (const auto& [a, b, sum] : golden_units().add) EXPECT_EQ(canonical(word_of(double_of(a) + double_of(b))), sum);
  for (const auto& [a, b, product] : golden_units().mul) EXPECT_EQ(canonical(word_of(double_of(a) * double_of(b))), product);
  for (const auto& [a, b, c, result] : golden_units().fma) {
    EXPECT_EQ(canonical(word_of(std::fma(double_of(a), double_of(b), double_of(c)))), result);
  }
}

TEST(Word, RoundsOnce) {
  ASSERT_GE(golden_units().round.size(), 100u);
  for (const auto& [n, e, result] : golden_units().round) {
    EXPECT_EQ(round_to_word(n, e), result);
    if (abs(n) < (BigInt(1) << 126)) {
      EXPECT_EQ(round_to_word(static_cast<Int128>(n), e), result);
    }
  }
  EXPECT_EQ(round_to_word(Int128{0}, 5), 0u);
}

TEST(Word, RoundingInOneStepDiffersFromTwo) {  // a subnormal result that rounding to 53 bits first would spoil
  const Int128 tie = (Int128{3} << 60) - 1;
  const int at = -1074 - 61;
  const Decoded rounded = decode(round_to_word(tie, 0));
  EXPECT_NE(round_to_word(tie, at), round_to_word(static_cast<Int128>(rounded.n), rounded.e + at));
}

TEST(Word, DecodesWhatItRounded) {
  Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const Word word = random.bits();
    if (!is_finite(word)) continue;
    const Decoded d = decode(word);
    EXPECT_EQ(std::ldexp(static_cast<double>(d.n), d.e), double_of(word));
    if (d.n == 0) continue;
    EXPECT_EQ(round_to_word(static_cast<Int128>(d.n), d.e), word);
    EXPECT_EQ(exponent_of(d), std::ilogb(double_of(word)));
  }
}

}  // namespace
}  // namespace ab::test
