// SPDX-License-Identifier: MIT
// Residues: every reachable sum of the ten-bit family, every residue as a half, reductions against the remainder operator.
#include <gtest/gtest.h>

#include "kernels/host.hpp"
#include "support/golden.hpp"
#include "support/random.hpp"

namespace ab::test {
namespace {

using namespace kernels;

uint inverse_of(uint m) {
  return static_cast<uint>((std::uint64_t{1} << 32) / m);
}

const std::vector<int>& moduli_of(ModuliFamily family) {
  return golden_units().moduli.at(family).list;
}

TEST(Modular, UnsignedAndSignedReduction) {
  Random random(1);
  std::vector<uint> edges;
  for (const uint near : {0u, 1u << 16, 1u << 31, ~0u}) {
    for (uint step = 0; step < 3000; ++step) edges.insert(edges.end(), {near + step, near - step});
  }
  for (int i = 0; i < 20000; ++i) edges.push_back(static_cast<uint>(random.bits() >> (32 + random.below(32))));
  for (const auto& [family, item] : golden_units().moduli) {
    for (const int modulus : item.list) {
      const auto m = static_cast<uint>(modulus);
      for (const uint x : edges) {
        ASSERT_EQ(reduce_unsigned(x, m, inverse_of(m)), x % m) << x << " mod " << m;
        const int y = static_cast<int>(x);
        if (y == INT32_MIN) continue;
        const int r = reduce_signed(y, m, inverse_of(m));
        ASSERT_EQ(((static_cast<std::int64_t>(y) - r) % modulus), 0) << y << " mod " << m;
        ASSERT_TRUE(-(modulus / 2) <= r && r <= (modulus + 1) / 2 - 1) << y << " mod " << m << " is " << r;  // the half point is negative
      }
    }
  }
}

TEST(Modular, SymmetricResidues) {
  for (const auto& [family, item] : golden_units().moduli) {
    for (const int m : item.list) {
      for (int r = 0; r < m; ++r)
        ASSERT_EQ(symmetric(static_cast<uint>(r), static_cast<uint>(m)), (r + m / 2) % m - m / 2) << r << " mod " << m;
    }
  }
}

#if !defined(AB_EVERY_NTH_SUM)
#define AB_EVERY_NTH_SUM 1
#endif

/// Sums of `terms` products of residues, the carried remainder included: the reduction is the remainder, and small enough to carry.
std::int64_t wrong_reductions(int m, int terms, int stride) {
  const int half = m / 2;
  const float reciprocal = 1.0f / static_cast<float>(m);  // 1/m rounded: m is exact
  const std::int64_t limit = std::int64_t{terms} * half * half + half + 1;
  std::int64_t wrong = 0;
  int remainder = static_cast<int>(((-limit) % m + m) % m);
  for (std::int64_t v = -limit; v <= limit; v += stride) {
    const float rest = reduce_float(static_cast<float>(v), static_cast<float>(m), reciprocal);
    const int r = static_cast<int>(rest);
    const bool right = (r == remainder || r == remainder - m) && r <= half + 1 && r >= -half - 1;
    wrong += !right;
    remainder += stride;
    while (remainder >= m) remainder -= m;
  }
  return wrong;
}

TEST(Modular, EveryReachableSumOfTheTenBitFamily) {
  for (const int m : moduli_of(ModuliFamily::Ten)) EXPECT_EQ(wrong_reductions(m, 64, AB_EVERY_NTH_SUM), 0) << m;
}

TEST(Modular, SumsOfTheElevenBitFamily) {
  for (const int m : moduli_of(ModuliFamily::Eleven)) EXPECT_EQ(wrong_reductions(m, 16, 7), 0) << m;
}

TEST(Modular, ABlockTooLongIsSeen) {  // the check above can fail: sums beyond 2^24 are no integers of FP32 any more
  EXPECT_GT(wrong_reductions(1023, 80, 1), 0);
}

/// The value of an IEEE half that is an integer, independently of the kernels.
double value_of_half(uint h) {
  const int field = static_cast<int>(h >> 10 & 31);
  const double magnitude = field == 0 ? std::ldexp(h & 1023, -24) : std::ldexp(1024 + (h & 1023), field - 25);
  return (h & 0x8000u) != 0 ? -magnitude : magnitude;
}

TEST(Modular, IntegersUpTo2048AreHalves) {
  for (int x = -2048; x <= 2048; ++x) {
    EXPECT_EQ(value_of_half(half_of_int(x)), x);
    EXPECT_EQ(int_of_half(half_of_int(x)), x);
  }
  EXPECT_EQ(int_of_half(0x8000u), 0);
}

TEST(Modular, ByteProducts) {
  Random random(2);
  for (int i = 0; i < 20000; ++i) {
    uint a[16], b[16];
    int expected = 7, sum = 7;
    for (int w = 0; w < 16; ++w) {
      a[w] = i == 0 ? 0x80808080u : static_cast<uint>(random.bits());
      b[w] = i == 0 ? 0x7F80807Fu : static_cast<uint>(random.bits());
      for (int byte = 0; byte < 4; ++byte)
        expected += static_cast<std::int8_t>(a[w] >> 8 * byte) * static_cast<std::int8_t>(b[w] >> 8 * byte);
      sum = dot4(a[w], b[w], sum);
    }
    ASSERT_EQ(sum, expected);
    int by_block = 7;
    AB_DOT64(by_block, a, 0, b, 0)
    ASSERT_EQ(by_block, expected);
  }
}

}  // namespace
}  // namespace ab::test
