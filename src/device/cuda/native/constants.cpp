// SPDX-License-Identifier: MIT
#include "device/cuda/native/constants.hpp"

#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace ab::device::cuda::native {

constexpr int moduli_list[most_moduli] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227,
                                          223, 217, 211, 199, 197, 193, 191, 181, 179, 173};

namespace {

using std::int64_t;
using std::uint64_t;

constexpr int magic_bits = 0x4B400000;  // of 1.5 2^23

int symmetric(int64_t x, int64_t m) {
  x = (x % m + m) % m;
  return static_cast<int>(2 * x >= m ? x - m : x);
}

int power_of_256(int exponent, int m) {
  int64_t value = 1;
  for (int i = 0; i < exponent; ++i) value = value * 256 % m;
  return symmetric(value, m);
}

// 256^i mod m for four i from `first` on, a signed byte each.
int packed_weights(int first, int m) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(power_of_256(first + i, m))) << (8 * i);
  return static_cast<int>(word);
}

// What the first `count` bytes lose when 128 is taken off each.
int lost_bias(int count, int m) {
  int64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += 128 * power_of_256(i, m);
  return symmetric(sum, m);
}

// Natural numbers in words of 32 bits, least significant first; 192 bits hold M, below 2^156.
using Natural = std::array<std::uint32_t, 6>;

Natural product_of(int count) {
  Natural x{1};
  for (int l = 0; l < count; ++l) {
    uint64_t carry = 0;
    for (std::uint32_t& word : x) {
      carry += uint64_t{word} * static_cast<uint64_t>(moduli_list[l]);
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    assert(carry == 0);
  }
  return x;
}

// The leading 53 bits, taken out of x.
double take_leading(Natural& x) {
  double value = 0;
  int taken = 0;
  for (int bit = 191; bit >= 0 && taken < 53; --bit) {
    std::uint32_t& word = x[static_cast<std::size_t>(bit / 32)];
    const std::uint32_t mask = std::uint32_t{1} << (bit % 32);
    if ((word & mask) != 0) value += std::ldexp(1.0, bit);
    if (value != 0) ++taken;
    word &= ~mask;
  }
  return value;
}

// (M/m)^-1 mod m
constexpr int weight_of(int l, int count) {
  const int m = moduli_list[l];
  int cofactor = 1;
  for (int other = 0; other < count; ++other) {
    if (other != l) cofactor = cofactor * (moduli_list[other] % m) % m;
  }
  int inverse = 1;
  while (inverse * cofactor % m != 1) ++inverse;
  return inverse;
}

// For every number of moduli: made when compiled, since every product needs them.
struct Weights {
  int of[most_moduli + 1][most_moduli];
};
constexpr Weights weights = [] {
  Weights made{};
  for (int count = 1; count <= most_moduli; ++count) {
    for (int l = 0; l < count; ++l) made.of[count][l] = weight_of(l, count);
  }
  return made;
}();

}  // namespace

// One FP32 quotient: with c the sum, e its rounding to FP32 and rel that of 1/m, |c - m rint| <= m/2 + e + (|c| + e) rel, which must
// stay below 128; and the quotient below 2^22, where the magic number rounds to integers.
Reduction choose_reduction(int m, Index terms) {
  if (m == 256) return Reduction::LowByte;
  const double largest = static_cast<double>(terms) * (m / 2) * (m / 2);
  int exponent = 0;
  std::frexp(largest, &exponent);  // below 2^exponent
  const double rounding = exponent <= 24 ? 0 : std::ldexp(1.0, exponent - 25);
  const double relative = std::fabs(static_cast<double>(1.0f / static_cast<float>(m)) * m - 1) + 0x1p-50;
  const bool exact = largest / m < 4e6 && m / 2.0 + rounding + (largest + rounding) * relative < 127.99;
  return exact ? Reduction::Float : Reduction::Bytes;
}

ProductModulus product_modulus(int m, Index terms) {
  ProductModulus c{};
  c.weights = packed_weights(0, m);
  c.bias = magic_bits + 128 + lost_bias(3, m);
  c.offset = 12582912.0f + 128.0f;
  c.reciprocal = 1.0f / static_cast<float>(m);
  c.minus_modulus = -m;
  c.reduction = choose_reduction(m, terms);
  return c;
}

ResidueModulus residue_modulus(int m) {
  ResidueModulus c{};
  c.low_weights = packed_weights(0, m);
  c.high_weights = packed_weights(4, m);
  c.bias = magic_bits + lost_bias(7, m);
  c.reciprocal = 1.0f / static_cast<float>(m);
  c.minus_modulus = -m;
  return c;
}

void set_up_weights(ResultParams& p, int count, int products) {
  p.count = count;
  for (int l = 0; l < most_moduli; ++l) p.upper[l] = p.lower[l] = 0;
  for (int l = 0; l < count; ++l) {
    const int m = moduli_list[l];
    const int64_t numerator = int64_t{weights.of[count][l]} << 39;
    p.upper[l] = std::ldexp(static_cast<double>(numerator / m), -39);
    p.lower[l] = std::ldexp(static_cast<double>(numerator % m) / m, -39);
  }
  Natural whole = product_of(count);
  p.whole_upper = take_leading(whole);
  p.whole_lower = take_leading(whole);
  const double residues = (products == 3 ? 384.0 : 128.0) * count;  // of one entry together, at most
  assert(residues < 16384);                                         // 2^14: sums of multiples of 2^-39 are exact
  p.doubt = p.whole_upper * (1.01 * count * residues * 0x1p-92 + residues * 0x1p-92 + 0x1p-98);
}

}  // namespace ab::device::cuda::native
