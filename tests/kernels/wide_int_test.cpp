// SPDX-License-Identifier: MIT
// Integers of 256 bits and exact two-term sums against integers of any size.
#include <gtest/gtest.h>

#include "kernels/host.hpp"
#include "support/random.hpp"
#include "support/word.hpp"

namespace ab::test {
namespace {

using namespace kernels;

const BigInt& modulus256() {
  static const BigInt modulus = BigInt(1) << 256;
  return modulus;
}

BigInt big_of(const wide& x) {
  return (((((BigInt(x.w3) << 64) + x.w2) << 64) + x.w1) << 64) + x.w0;
}

wide wide_of(const BigInt& x) {
  const BigInt mask(~Word{0});
  return {static_cast<Word>(x & mask), static_cast<Word>((x >> 64) & mask), static_cast<Word>((x >> 128) & mask),
          static_cast<Word>((x >> 192) & mask)};
}

/// Up to `bits` bits, often with long runs of ones or zeros.
BigInt any_number(Random& random, int bits) {
  BigInt x = 0;
  for (int i = 0; i < 4; ++i) x = (x << 64) + (random.below(3) == 0 ? (random.below(2) == 0 ? 0 : ~Word{0}) : random.bits());
  return x >> (256 - static_cast<int>(random.below(static_cast<std::uint64_t>(bits) + 1)));
}

TEST(WideInt, IsArithmeticModulo2To256) {
  Random random(1);
  for (int i = 0; i < 50000; ++i) {
    const BigInt a = any_number(random, 256), b = any_number(random, 256);
    const wide x = wide_of(a), y = wide_of(b);
    EXPECT_EQ(big_of(wide_add(x, y)), BigInt((a + b) % modulus256())) << a << " + " << b;
    EXPECT_EQ(wide_less(x, y), a < b);
    if (a >= b) {
      EXPECT_EQ(big_of(wide_subtract(x, y)), BigInt(a - b)) << a << " - " << b;
    }
    EXPECT_EQ(wide_is_zero(x), a == 0);
    EXPECT_EQ(wide_bits(x), a == 0 ? 0 : static_cast<int>(msb(a)) + 1);
    const int n = static_cast<int>(random.below(256)), far = static_cast<int>(random.below(600));
    EXPECT_EQ(big_of(wide_left(x, n)), BigInt((a << n) % modulus256())) << a << " << " << n;
    const BigInt kept = a >> far;
    EXPECT_EQ(big_of(wide_right_jam(x, far)), (kept << far) == a ? kept : BigInt(kept | 1)) << a << " >> " << far;
  }
}

TEST(WideInt, RoundsOnce) {
  Random random(2);
  for (int i = 0; i < 50000; ++i) {
    const BigInt a = any_number(random, 256);
    const int e = static_cast<int>(random.below(2600)) - 1400;
    const bool negative = random.below(2) == 0;
    const scaled x{wide_of(a), negative ? AB_SIGN : 0, e, 0};
    EXPECT_EQ(round_scaled(x), round_to_word(BigInt(negative ? -a : a), e)) << a << " 2^" << e;
  }
}

struct Term {
  BigInt signed_value;
  scaled x;
};

Term any_term(Random& random, int e) {
  const BigInt magnitude = any_number(random, 150);
  const bool negative = random.below(2) == 0;
  return {negative ? BigInt(-magnitude) : magnitude, {wide_of(magnitude), negative ? AB_SIGN : 0, e, 0}};
}

Word exact_sum(const Term& a, const Term& b) {
  const int e = std::min(a.x.exponent, b.x.exponent);
  return round_to_word(BigInt((a.signed_value << (a.x.exponent - e)) + (b.signed_value << (b.x.exponent - e))), e);
}

TEST(WideInt, TwoTermSumsAreRoundedOnce) {
  Random random(3);
  for (int i = 0; i < 50000; ++i) {
    const int e = static_cast<int>(random.below(2000)) - 1200, spread = i % 2 == 0 ? 40 : 700;
    const Term a = any_term(random, e),
               b = any_term(random, e + static_cast<int>(random.below(static_cast<std::uint64_t>(spread))) - spread / 2);
    EXPECT_EQ(round_scaled(add_scaled(a.x, b.x)), exact_sum(a, b))
        << a.signed_value << " 2^" << a.x.exponent << " + " << b.signed_value << " 2^" << b.x.exponent;
  }
}

TEST(WideInt, SumsThatCancelOrNearlyDo) {
  Random random(4);
  for (int i = 0; i < 50000; ++i) {
    const int e = static_cast<int>(random.below(2000)) - 1200, up = static_cast<int>(random.below(40));
    const BigInt large = any_number(random, 150), small = large >> up;
    const BigInt other = -((small << up >> up) + static_cast<int>(random.below(3)) - 1);
    const Term a{large, {wide_of(large), 0, e, 0}};
    const Term b{other, {wide_of(abs(other)), other < 0 ? AB_SIGN : 0, e + up, 0}};
    EXPECT_EQ(round_scaled(add_scaled(a.x, b.x)), exact_sum(a, b)) << large << " 2^" << e << " + " << other << " 2^" << e + up;
  }
}

}  // namespace
}  // namespace ab::test
