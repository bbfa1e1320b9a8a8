// SPDX-License-Identifier: MIT
// The constants through the kernels' own text, run on the host.
#include "device/cuda/native/constants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

#include "numerics/moduli.hpp"
#include "sim/cuda/native/kernel_texts.hpp"
#include "support/random.hpp"

namespace ab::device::cuda::native {
namespace {

using Big = boost::multiprecision::cpp_rational;

TEST(CudaConstants, ModuliAreTheFamilys) {
  const std::span<const int> family = numerics::family_of(ModuliFamily::Int8);
  ASSERT_EQ(family.size(), static_cast<std::size_t>(most_moduli));
  EXPECT_TRUE(std::equal(family.begin(), family.end(), moduli_list));
}

int byte_of_sum(int sum, const ProductModulus& c) {
  switch (c.reduction) {
    case Reduction::LowByte:
      return ((sum & 255) ^ 128) - 128;
    case Reduction::Float:
      return static_cast<std::int8_t>(reduce_float(sum, c));
    default:
      return (reduce_bytes(sum, c) & 255) - 128;
  }
}

void expect_residue(std::int64_t sum, int byte, int m) {
  ASSERT_EQ((sum - byte) % m, 0) << sum << " modulo " << m << " gave " << byte;
  ASSERT_LE(std::abs(byte), m == 256 ? 128 : 127) << sum << " modulo " << m;
}

TEST(CudaConstants, SumsAreReducedExactly) {
  test::Random random(51);
  for (const int m : moduli_list) {
    for (const Index terms : {1, 64, 1024, 4096, 16384, 131072}) {
      const ProductModulus c = product_modulus(m, terms);
      const std::int64_t limit = std::min<std::int64_t>(terms * (m / 2) * (m / 2), INT32_MAX);
      for (int t = 0; t < 20000; ++t) {
        const std::int64_t near = t < 2000 ? limit - t : static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(limit) + 1));
        if (near < 0) continue;
        for (const std::int64_t sum : {near, -near}) expect_residue(sum, byte_of_sum(static_cast<int>(sum), c), m);
      }
    }
    ProductModulus c = product_modulus(m, 131072);
    if (m == 256) continue;
    EXPECT_EQ(c.reduction, Reduction::Bytes);
    for (std::int64_t sum = INT32_MIN; sum <= INT32_MAX; sum += 40961) expect_residue(sum, byte_of_sum(static_cast<int>(sum), c), m);
    for (const std::int64_t edge : {std::int64_t{INT32_MIN}, std::int64_t{INT32_MAX}, std::int64_t{0}, std::int64_t{-1}})
      expect_residue(edge, byte_of_sum(static_cast<int>(edge), c), m);
  }
}

TEST(CudaConstants, ManySumsTakeTheCheapReduction) {
  int floats = 0;
  for (int l = 0; l < 14; ++l) floats += choose_reduction(moduli_list[l], 4096) == Reduction::Float ? 1 : 0;
  EXPECT_EQ(floats, 10);  // as the prototype, which was checked for every sum on an H200
}

TEST(CudaConstants, ResiduesAreSymmetric) {
  test::Random random(52);
  for (const int m : moduli_list) {
    const ResidueModulus c = residue_modulus(m);
    for (int t = 0; t < 200000; ++t) {
      auto a = static_cast<std::int64_t>(random.bits()) >> random.below(64);
      if (t < 4) a = t == 0 ? INT64_MAX : t == 1 ? INT64_MIN : t == 2 ? 0 : -1;
      const std::int64_t r = ((a % m + m + m / 2) % m) - m / 2;
      ASSERT_EQ(static_cast<std::int8_t>(residue_of(a, c)), r) << a << " modulo " << m;
    }
  }
}

TEST(CudaConstants, WeightsAreTheFractionsToTheDoubt) {
  for (int count = 1; count <= most_moduli; ++count) {
    for (const int products : {1, 3}) {
      ResultParams p{};
      set_up_weights(p, count, products);
      boost::multiprecision::cpp_int whole = 1;
      for (int l = 0; l < count; ++l) whole *= moduli_list[l];
      const Big rest = Big(whole) - Big(p.whole_upper) - Big(p.whole_lower);
      EXPECT_TRUE(rest >= 0 && rest <= Big(p.whole_upper) * Big(0x1p-104));
      Big lost = 0;  // by rounding the lower parts
      for (int l = 0; l < count; ++l) {
        const boost::multiprecision::cpp_int cofactor = whole / moduli_list[l];
        Big weight = Big(p.upper[l]);
        const Big scaled = weight * Big(0x1p39);
        EXPECT_EQ(denominator(scaled), 1) << "more than 39 bits behind the point";
        weight += Big(p.lower[l]);
        // weight = h / m with h the inverse of the cofactor
        const Big h = weight * moduli_list[l];
        const boost::multiprecision::cpp_int nearest = numerator(h + Big(1, 2)) / denominator(h + Big(1, 2));
        EXPECT_EQ(nearest * cofactor % moduli_list[l], 1) << count << " " << l;
        const Big error = abs(Big(nearest) / moduli_list[l] - weight);
        lost += error * (products == 3 ? 384 : 128);
      }
      EXPECT_LT(lost * Big(whole), Big(p.doubt)) << count;
      EXPECT_GT(p.doubt, 0);
      EXPECT_LT(p.doubt, p.whole_upper * 0x1p-73);
    }
  }
}

}  // namespace
}  // namespace ab::device::cuda::native
