// SPDX-License-Identifier: MIT
// FP64 in integers against the golden units, the hardware's FP64, and integers of any size.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/host.hpp"
#include "support/golden.hpp"
#include "support/random.hpp"
#include "support/word.hpp"

namespace ab::test {
namespace {

using namespace kernels;

TEST(Fp64Bits, GoldenUnits) {
  const GoldenUnits& units = golden_units();
  for (const auto& [a, b, result] : units.add) EXPECT_EQ(soft_add64(a, b), result) << std::hex << a << ' ' << b;
  for (const auto& [a, b, result] : units.mul) EXPECT_EQ(soft_mul64(a, b), result) << std::hex << a << ' ' << b;
  for (const auto& [a, b, c, result] : units.fma) EXPECT_EQ(soft_fma64(a, b, c), result) << std::hex << a << ' ' << b << ' ' << c;
  for (const GoldenUnits::Round& round : units.round) {
    const BigInt magnitude = abs(round.n);
    if (magnitude >> 128 != 0) continue;
    const pair128 n{static_cast<Word>(magnitude >> 64), static_cast<Word>(magnitude & BigInt(~Word{0}))};
    EXPECT_EQ(round128(round.n < 0 ? sign_bit : 0, n, round.e), round.result) << round.n << " 2^" << round.e;
  }
}

/// Any word: special values, all exponents, significands with long runs of equal bits.
Word any_word(Random& random) {
  static constexpr Word special[] = {0,         one_word,      infinity_word,    nan_word, 1, infinity_word - 1,
                                     AB_HIDDEN, AB_HIDDEN - 1, infinity_word + 1};
  const Word sign = random.bits() & sign_bit;
  if (random.below(16) == 0) return special[random.below(std::size(special))] | sign;
  const Word fraction = random.below(2) == 0 ? random.bits() : ~Word{0} << random.below(52);
  return sign | random.below(2047) << 52 | (fraction & AB_FRACTION);
}

/// A word whose exponent is within 60 of x's: sums that overlap.
Word near_word(Random& random, Word x) {
  const auto field = static_cast<std::int64_t>(x >> 52 & 0x7FF) + static_cast<std::int64_t>(random.below(121)) - 60;
  return (any_word(random) & ~infinity_word) | static_cast<Word>(std::clamp<std::int64_t>(field, 0, 2046)) << 52;
}

void expect_word(Word got, double expected, const char* what, std::initializer_list<Word> operands) {
  if (got == canonical(word_of(expected))) return;
  ADD_FAILURE() << what << std::hex << ": got " << got << ", expected " << word_of(expected) << " for "
                << testing::PrintToString(std::vector<Word>(operands));
}

TEST(Fp64Bits, SoftFloatIsTheHardwares) {
  Random random(1);
  for (int i = 0; i < 400000; ++i) {
    const Word a = any_word(random), b = i % 2 == 0 ? any_word(random) : near_word(random, a);
    const double x = double_of(a), y = double_of(b);
    expect_word(soft_add64(a, b), x + y, "a + b", {a, b});
    expect_word(soft_mul64(a, b), x * y, "a b", {a, b});
    const Word product = word_of(x * y);
    const Word c = i % 4 == 0 || !is_finite(product) ? any_word(random) : i % 4 == 1 ? product ^ sign_bit : near_word(random, product);
    expect_word(soft_fma64(a, b, c), std::fma(x, y, double_of(c)), "a b + c", {a, b, c});
  }
}

TEST(Fp64Bits, CancellingSumsAreExact) {  // a b - RN(a b), and sums next to powers of two
  Random random(2);
  for (int i = 0; i < 200000; ++i) {
    const Word a = one_word + (random.bits() & AB_FRACTION), b = one_word + (random.bits() & AB_FRACTION);
    const double x = double_of(a), y = double_of(b);
    const Word c = word_of(-(x * y)) + random.below(5) - 2;
    expect_word(soft_fma64(a, b, c), std::fma(x, y, double_of(c)), "a b + c", {a, b, c});
    const Word d = (a ^ sign_bit) + random.below(5) - 2;
    expect_word(soft_add64(a, d), x + double_of(d), "a + d", {a, d});
  }
}

BigInt big_of(pair128 x) {
  return (BigInt(x.high) << 64) + x.low;
}

pair128 any_pair(Random& random) {
  const int shift = static_cast<int>(random.below(129));
  const pair128 full{random.bits() | sign_bit, random.bits()};
  const BigInt value = big_of(full) >> shift;
  return {static_cast<Word>(value >> 64), static_cast<Word>(value & BigInt(~Word{0}))};
}

TEST(Fp64Bits, TheOneRounding) {
  Random random(3);
  for (int i = 0; i < 200000; ++i) {
    const pair128 n = any_pair(random);
    const int e = static_cast<int>(random.below(2400)) - 1250;
    EXPECT_EQ(round128(sign_bit, n, e), round_to_word(BigInt(-big_of(n)), e)) << big_of(n) << " 2^" << e;
    const Word m = n.low;
    EXPECT_EQ(round64(0, m, e, 0), round_to_word(BigInt(m), e)) << m << " 2^" << e;
    const Word long_m = m | Word{1} << 54;  // a sticky word needs 55 bits
    EXPECT_EQ(round64(0, long_m, e, 1), round_to_word(BigInt((BigInt(long_m) << 2) + 1), e - 2)) << long_m << " + a tail, 2^" << e;
  }
}

TEST(Fp64Bits, TiesAtEveryPosition) {
  for (int bits = 1; bits < 64; ++bits) {
    for (int e = -1140; e < 1030; ++e) {
      for (const Word m : {Word{1} << bits, (Word{1} << bits) + 1, (Word{3} << bits) >> 1, (Word{1} << bits) - 1}) {
        ASSERT_EQ(round64(0, m, e, 0), round_to_word(BigInt(m), e)) << m << " 2^" << e;
      }
    }
  }
}

TEST(Fp64Bits, IntegersOf128Bits) {
  Random random(4);
  const BigInt modulus = BigInt(1) << 128;
  for (int i = 0; i < 100000; ++i) {
    const pair128 x = any_pair(random), y = any_pair(random);
    const BigInt a = big_of(x), b = big_of(y);
    const int n = static_cast<int>(random.below(140));
    EXPECT_EQ(big_of(multiply64(x.low, y.low)), BigInt(x.low) * y.low);
    EXPECT_EQ(big_of(add128(x, y)), BigInt((a + b) % modulus));
    EXPECT_EQ(big_of(subtract128(x, y)), BigInt((a + modulus - b) % modulus));
    EXPECT_EQ(less128(x, y), a < b);
    EXPECT_EQ(bits128(x), a == 0 ? 0 : static_cast<int>(msb(a)) + 1);
    if (n < 128) {
      EXPECT_EQ(big_of(shift_left128(x, n)), BigInt((a << n) % modulus)) << n;
    }
    const BigInt kept = a >> n;
    EXPECT_EQ(big_of(shift_right_jam128(x, n)), (kept << n) == a ? kept : BigInt(kept | 1)) << a << " >> " << n;
  }
}

TEST(Fp64Bits, WordsAndTheirBits) {
  Random random(5);
  for (int i = 0; i < 100000; ++i) {
    const Word x = random.bits() >> random.below(64);
    EXPECT_EQ(static_cast<int>(leading_zeros64(x)), std::countl_zero(x));
    EXPECT_EQ(trailing_zeros64(x | 1u << i % 32), std::countr_zero(x | 1u << i % 32));
    const int n = static_cast<int>(random.below(80));
    const Word kept = n >= 64 ? 0 : x >> n;
    EXPECT_EQ(shift_right_jam64(x, n), kept | static_cast<Word>(n > 0 && (n >= 64 ? x : x & ((Word{1} << n) - 1)) != 0))
        << x << " >> " << n;
    const Word w = any_word(random);
    EXPECT_EQ(is_nan64(w), is_nan(w));
    EXPECT_EQ(is_finite64(w), test::is_finite(w));
    EXPECT_EQ(canonical64(w), canonical(w));
    if (!is_finite64(w)) continue;
    EXPECT_EQ(significand64(w), static_cast<Word>(std::abs(decode(w).n)));
    EXPECT_EQ(exponent64(w), decode(w).e);
  }
  EXPECT_EQ(leading_zeros64(0), 64u);
}

}  // namespace
}  // namespace ab::test
