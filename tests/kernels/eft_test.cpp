// SPDX-License-Identifier: MIT
// Error-free transformations are free of error, and the integer fma is the fused one. Built with either fma.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/host.hpp"
#include "support/random.hpp"
#include "support/word.hpp"

namespace ab::test {
namespace {

using namespace kernels;

std::uint32_t bits(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

/// A normal number of random significand, often with few bits, and an exponent of at most `spread` in size.
float any_float(Random& random, int spread) {
  const Word r = random.bits();
  const std::uint32_t fraction = static_cast<std::uint32_t>(r & 0x7FFFFF) & (r >> 60 == 0 ? ~0u << (r >> 40) % 23 : ~0u);
  const int e = static_cast<int>((r >> 24 & 0xFFFF) % static_cast<unsigned>(2 * spread + 1)) - spread;
  return std::bit_cast<float>(static_cast<std::uint32_t>(r >> 63) << 31 | static_cast<std::uint32_t>(e + 127) << 23 | fraction);
}

float fused(float a, float b, float c) {
  return std::fma(a, b, c);
}

int failures_of_soft_fma(float a, float b, float c) {
  const float expected = fused(a, b, c);
  if (expected != 0.0f && std::fabs(expected) < 0x1p-126f) return 0;  // outside what is promised
  const float got = soft_fma32(a, b, c);
  if (bits(got) == bits(expected) || (got == 0.0f && expected == 0.0f)) return 0;
  ADD_FAILURE() << std::hexfloat << a << " * " << b << " + " << c << ": got " << got << ", expected " << expected;
  return 1;
}

TEST(Eft, TheIntegerFmaIsFused) {
  Random random(1);
  int failures = 0;
  for (int i = 0; i < 3000000 && failures < 10; ++i) {
    const float a = any_float(random, 47), b = any_float(random, 47);
    failures += failures_of_soft_fma(a, b, any_float(random, 60));
  }
}

TEST(Eft, TheIntegerFmaIsFusedWhereTermsCancel) {
  Random random(2);
  int failures = 0;
  for (int i = 0; i < 1500000 && failures < 10; ++i) {
    const float a = any_float(random, 20), b = any_float(random, 20);
    const float c = std::bit_cast<float>(bits(-(a * b)) + static_cast<std::uint32_t>(random.below(9)) - 4u);
    failures += failures_of_soft_fma(a, b, c) + failures_of_soft_fma(a, b, -(a * b));
    const float far = std::bit_cast<float>((bits(c) & 0x807FFFFFu) |
                                           ((bits(c) >> 23 & 255u) + static_cast<std::uint32_t>(random.below(101)) - 50u) << 23);
    failures += failures_of_soft_fma(a, b, far);
  }
}

TEST(Eft, TheIntegerFmaOfZeros) {
  for (const float a : {0.0f, -0.0f, 1.5f, -0x1p47f}) {
    for (const float b : {0.0f, -0.0f, 3.0f}) {
      for (const float c : {0.0f, -0.0f, 0x1p-40f, -2.0f}) failures_of_soft_fma(a, b, c);
    }
  }
}

TEST(Eft, FloatsFromIntegers) {
  for (std::uint32_t kept = 0; kept <= 1u << 24; kept += kept < 5000 ? 1 : 997) {
    for (const int e : {-100, -1, 0, 1, 77}) {
      const float expected = std::ldexp(static_cast<float>(kept), e);
      EXPECT_EQ(float_of(0, kept, e), expected) << kept << " 2^" << e;
      EXPECT_EQ(float_of(1, kept, e), -expected) << kept << " 2^" << e;
    }
  }
  EXPECT_EQ(float_of(0, 1u << 24, 0), 0x1p24f);
}

/// x as an integer of units of 2^-160: with exponents of at most 20 in size, errors of products are still exact.
Int256 exact(float x) {
  const Decoded d = decode(word_of(static_cast<double>(x)));
  return d.n == 0 ? Int256(0) : Int256(d.n) << (d.e + 160);
}
Int256 exact_product(float a, float b) {
  const Decoded d = decode(word_of(static_cast<double>(a) * static_cast<double>(b)));  // 48 bits
  return d.n == 0 ? Int256(0) : Int256(d.n) << (d.e + 160);
}

TEST(Eft, SumsAndProductsLoseNothing) {
  Random random(3);
  for (int i = 0; i < 300000; ++i) {
    float a = any_float(random, 20), b = any_float(random, 20);
    if (i % 3 == 0) b = std::bit_cast<float>(bits(-a) + static_cast<std::uint32_t>(random.below(9)) - 4u);
    const pair32 sum = two_sum(a, b);
    ASSERT_EQ(bits(sum.hi), bits(a + b));
    ASSERT_EQ(exact(sum.hi) + exact(sum.lo), exact(a) + exact(b)) << std::hexfloat << a << " + " << b;
    const pair32 product = two_product(a, b);
    ASSERT_EQ(bits(product.hi), bits(a * b));
    ASSERT_EQ(exact(product.hi) + exact(product.lo), exact_product(a, b)) << std::hexfloat << a << " * " << b;
    if (std::fabs(a) < std::fabs(b)) std::swap(a, b);
    const pair32 fast = fast_two_sum(a, b);
    ASSERT_EQ(bits(fast.hi), bits(sum.hi));
    ASSERT_EQ(fast.lo, sum.lo);
  }
}

TEST(Eft, TiesGoToEven) {
  EXPECT_EQ(two_sum(1.0f, 0x1p-24f).hi, 1.0f);
  EXPECT_EQ(two_sum(1.0f, 0x1p-24f).lo, 0x1p-24f);
  EXPECT_EQ(two_sum(1.0f + 0x1p-23f, 0x1p-24f).hi, 1.0f + 0x1p-22f);
  EXPECT_EQ(two_sum(1.0f + 0x1p-23f, 0x1p-24f).lo, -0x1p-24f);
  EXPECT_EQ(two_product(1.0f + 0x1p-12f, 1.0f + 0x1p-12f).lo, 0x1p-24f);
}

}  // namespace
}  // namespace ab::test
