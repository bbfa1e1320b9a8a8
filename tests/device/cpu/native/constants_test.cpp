// SPDX-License-Identifier: MIT
#include "device/cpu/native/constants.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <numeric>
#include <thread>

#include "kernels/host.hpp"

namespace ab::device::native {
namespace {

using BigInt = boost::multiprecision::cpp_int;

constexpr int family[] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199, 197, 193, 191, 181, 179, 173};

std::vector<kernels::modulus> table_of(int count) {
  std::vector<kernels::modulus> table(static_cast<std::size_t>(count));
  for (int l = 0; l < count; ++l) table[static_cast<std::size_t>(l)].m = static_cast<kernels::uint>(family[l]);
  return table;
}

const Constants& constants(int count) {
  return constants_for(table_of(count).data(), count);
}

std::int64_t modulo(std::int64_t x, std::int64_t m) {
  return (x % m + m) % m;
}
std::int64_t low_half(std::int32_t word) {
  return static_cast<std::int16_t>(word & 0xFFFF);
}
std::int64_t byte_of(std::int32_t word, int i) {
  return static_cast<std::int8_t>(word >> (8 * i) & 0xFF);
}

// The residue of an operand as the AVX-512 kernel makes it.
std::int64_t operand_residue(const ModulusConstants& c, std::int64_t x) {
  const auto offset = static_cast<std::uint64_t>(x + (std::int64_t{1} << 59));
  std::int64_t sum = c.bias;
  for (int i = 0; i < 4; ++i) {
    sum += static_cast<std::int64_t>(offset >> (8 * i) & 255) * byte_of(c.low_weights, i);
    sum += static_cast<std::int64_t>(offset >> (32 + 8 * i) & 255) * byte_of(c.high_weights, i);
  }
  EXPECT_GE(sum, 0);
  EXPECT_LE(sum, 65535);
  const auto quotient = static_cast<std::int16_t>(sum * low_half(c.inverse_words));
  return quotient * low_half(c.modulus_words) >> 16;
}

// And the residue of a sum of products.
std::int64_t folded(const ModulusConstants& c, std::int64_t sum) {
  const auto quotient = static_cast<std::int16_t>(sum * c.fold_inverse);
  const std::int64_t rest = sum + quotient * static_cast<std::int16_t>(c.fold_minus_modulus);
  EXPECT_EQ(rest & 0xFFFF, 0);
  return rest >> 16;
}

TEST(Constants, ResiduesOfOperandsFitABytePerModulus) {
  std::uint64_t state = 1;
  for (int t = 0; t < 20000; ++t) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::int64_t limit = (std::int64_t{1} << 59) - 1;
    const std::int64_t x = t < 4 ? std::array{limit, -limit, std::int64_t{0}, std::int64_t{-1}}[static_cast<std::size_t>(t)]
                                 : static_cast<std::int64_t>(state) >> (4 + state % 60);
    for (int l = 1; l < fast_moduli; ++l) {
      const ModulusConstants& c = constants(fast_moduli).moduli[l];
      const std::int64_t r = operand_residue(c, x), unit = operand_residue(c, 1) - operand_residue(c, 0);
      EXPECT_LE(std::abs(r), (c.m + 1) / 2);
      EXPECT_EQ(modulo(r, c.m), modulo(unit * modulo(x, c.m), c.m)) << x << " modulo " << c.m;
    }
  }
}

BigInt natural(const std::uint64_t* words) {
  BigInt out = 0;
  for (int i = 2; i >= 0; --i) out = (out << 64) + words[i];
  return out;
}

// What a kernel keeps of x y modulo the l-th modulus; its canonical form is checked on the way.
std::int64_t result_residue(const Constants& set, int l, std::int64_t x, std::int64_t y) {
  const ModulusConstants& c = set.moduli[l];
  if (c.m == 256) return static_cast<std::int8_t>(x * y);
  const bool units = set.count <= fast_moduli;
  const std::int64_t sum = folded(c, units ? operand_residue(c, x) * operand_residue(c, y) : modulo(x, c.m) * modulo(y, c.m));
  const std::int64_t shifted = sum + low_half(c.offset_words);
  const std::int64_t r = static_cast<std::int16_t>(shifted * low_half(c.inverse_words)) * low_half(c.modulus_words) >> 16;
  EXPECT_LE(std::abs(r), 128);
  const std::int64_t quotient = static_cast<std::int16_t>(r * low_half(c.canonical_inverse_words));
  const std::int64_t canonical = (r * low_half(c.canonical_words) >> 16) - (quotient * low_half(c.modulus_words) >> 16);
  EXPECT_EQ(modulo(canonical, c.m), modulo(modulo(x, c.m) * y, c.m));
  return r;
}

BigInt digits_of(const Constants& set, int l) {
  BigInt out = 0;
  for (int d = 0; d < digits; ++d) {
    const std::int32_t pair = set.digit_pairs[l / 2][d];
    out = (out << 16) + static_cast<std::int16_t>(l % 2 == 0 ? pair & 0xFFFF : pair >> 16 & 0xFFFF);
  }
  return out;
}

// The representative nearest to 0 modulo 2^bits.
BigInt centred(BigInt value, int bits) {
  const BigInt all = BigInt(1) << bits;
  value %= all;
  if (value < 0) value += all;
  return value >= all / 2 ? BigInt(value - all) : value;
}

void expect_reconstruction(const Constants& set, std::int64_t x, std::int64_t y) {
  const BigInt whole = natural(set.whole), product = BigInt(x) * y;
  if (2 * abs(product) >= whole) return;
  BigInt fraction = 0, by_digits = 0;  // of x y / M
  for (int l = 0; l < set.count; ++l) {
    const ModulusConstants& c = set.moduli[l];
    const std::int64_t r = result_residue(set, l, x, y);
    fraction += natural(c.fraction) * modulo(modulo(r, c.m) * c.weight, c.m);
    by_digits += digits_of(set, l) * r;
  }
  const BigInt scaled = centred(fraction, 192) * whole;  // its ceiling
  BigInt quotient = scaled >> 192;
  if ((quotient << 192) != scaled) quotient += 1;
  EXPECT_EQ(quotient, product) << set.count << " moduli";
  const BigInt error = centred(by_digits, 96) * whole - (product << 96);
  EXPECT_LT(abs(error), whole * set.count * residue_limit);
}

TEST(Constants, PlainOnesTakeTheResiduesOfTheIntegerItself) {
  for (const int count : {2, 13, 15, 20}) {
    const Constants& set = plain_constants_for(table_of(count).data(), count);
    const BigInt whole = natural(set.whole);
    for (int l = 0; l < count; ++l) {
      EXPECT_EQ(whole / family[l] * set.moduli[l].weight % family[l], 1);
      const BigInt error = digits_of(set, l) * family[l] - (BigInt(set.moduli[l].weight) << 96);  // modulo 1: digits are signed
      EXPECT_LE(abs(centred(error, 96)), family[l] / 2);
    }
  }
}

TEST(Constants, ResultsReconstructTheInteger) {
  for (const int count : {2, 13, 14, 15, 16, 17, 18, 20}) {
    const Constants& set = constants(count);
    BigInt expected = 1;
    for (int l = 0; l < count; ++l) {
      expected *= family[l];
      EXPECT_EQ(natural(set.moduli[l].fraction), (BigInt(1) << 192) / family[l]);
    }
    EXPECT_EQ(natural(set.whole), expected);
    for (const std::int64_t x : {1l, -1l, 7l, 123456789l, -987654321l}) expect_reconstruction(set, x, 4567);
  }
}

TEST(Constants, TheWholeProductInTwoDoubles) {
  for (const int count : {13, 14, 15, 20}) {
    const Constants& set = constants(count);
    const BigInt whole = natural(set.whole);
    const BigInt rest = whole - BigInt(set.whole_high) - BigInt(set.whole_low);
    EXPECT_GE(rest, 0);
    EXPECT_LE(rest << 105, whole);
  }
}

TEST(Constants, ThreadsThatAskAtOnceGetTheSame) {
  const Constants* found[8] = {};
  std::vector<std::thread> threads;
  for (auto& mine : found) threads.emplace_back([&mine] { mine = &constants(19); });
  for (std::thread& thread : threads) thread.join();
  for (const Constants* one : found) EXPECT_EQ(one, found[0]);
}

}  // namespace
}  // namespace ab::device::native
