// SPDX-License-Identifier: MIT
#include "device/cpu/native/constants.hpp"

#include <array>
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "kernels/host.hpp"

namespace ab::device::native {
namespace {

using Wide = unsigned __int128;
constexpr int offset_bits = 59;  // |x| < 2^59; x + 2^59 has seven full bytes and one below 16

std::int64_t inverse_modulo(std::int64_t x, std::int64_t m) {
  x %= m;
  for (std::int64_t candidate = 1; candidate < m; ++candidate) {
    if (x * candidate % m == 1) return candidate;
  }
  assert(false && "not coprime");
  return 0;
}

std::int64_t power_modulo(std::int64_t base, int exponent, std::int64_t m) {
  std::int64_t value = 1 % m;
  for (int i = 0; i < exponent; ++i) value = value * (base % m) % m;
  return value;
}

std::int64_t symmetric(std::int64_t r, std::int64_t m) {
  r = (r % m + m) % m;
  return r >= (m + 1) / 2 ? r - m : r;
}

std::uint16_t inverse_of_odd(std::uint16_t m) {  // modulo 2^16
  std::uint32_t x = 1;
  for (int i = 0; i < 5; ++i) x *= 2 - m * x;
  return static_cast<std::uint16_t>(x);
}

std::int32_t in_both_halves(std::int64_t word) {
  const auto low = static_cast<std::uint32_t>(static_cast<std::uint16_t>(word));
  return static_cast<std::int32_t>(low << 16 | low);
}

// Byte weights unit * 256^i mod m, symmetric, for the unit whose weighted bytes span the least.
struct Weights {
  std::int64_t unit;
  std::array<std::int64_t, 8> of_byte;
  std::int64_t lowest;  // the smallest weighted sum, <= 0
};

Weights find_weights(std::int64_t m) {
  Weights best{};
  std::int64_t least_span = -1;
  for (std::int64_t unit = 1; unit < m; ++unit) {
    if (std::gcd(unit, m) != 1) continue;
    Weights weights{unit, {}, 0};
    std::int64_t span = 0;
    for (int i = 0; i < 8; ++i) {
      const std::int64_t w = symmetric(unit * power_modulo(256, i, m), m), largest = i < 7 ? 255 : 15;
      weights.of_byte[static_cast<std::size_t>(i)] = w;
      span += std::abs(w) * largest;
      if (w < 0) weights.lowest += w * largest;
    }
    if (least_span < 0 || span < least_span) {
      least_span = span;
      best = weights;
    }
  }
  assert(least_span + m <= 65535);
  return best;
}

std::int32_t packed_bytes(const std::int64_t* weights) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(weights[i])) << (8 * i);
  return static_cast<std::int32_t>(word);
}

// What one residue of a result is a multiple of: unit of the left times unit of the right times 2^-16 and -2^-16 of the reductions.
std::int64_t set_up_operands(ModulusConstants& c, bool with_units) {
  const std::int64_t m = c.m, per_reduction = inverse_modulo(power_modulo(2, 16, m), m);
  const std::int64_t of_sums = per_reduction * (m - per_reduction) % m;
  if (!with_units) return of_sums;
  const Weights weights = find_weights(m);
  c.low_weights = packed_bytes(weights.of_byte.data());
  c.high_weights = packed_bytes(weights.of_byte.data() + 4);
  const std::int64_t offset = weights.unit * power_modulo(2, offset_bits, m) % m;
  c.bias = static_cast<std::int32_t>(-weights.lowest + (((weights.lowest - offset) % m) + m) % m);
  const std::int64_t unit = (m - weights.unit) * per_reduction % m;
  return unit * unit % m * of_sums % m;
}

void set_up_words(ModulusConstants& c) {
  const auto m = static_cast<std::uint16_t>(c.m);
  const std::uint16_t inverse = inverse_of_odd(m);
  c.inverse_words = in_both_halves(inverse);
  c.modulus_words = in_both_halves(m);
  c.fold_inverse = inverse;
  c.fold_minus_modulus = static_cast<std::uint16_t>(-c.m);
  c.offset_words = in_both_halves(16384 / c.m * c.m);
  c.rounded_reciprocal = in_both_halves((32768 + c.m / 2) / c.m);
}

void set_up_canonical(ModulusConstants& c, std::int64_t unit_of_result) {
  const std::int64_t m = c.m;
  const std::int64_t factor = symmetric(power_modulo(2, 16, m) * inverse_modulo(unit_of_result, m), m);
  c.canonical_words = in_both_halves(factor);
  c.canonical_inverse_words = in_both_halves(factor * inverse_of_odd(static_cast<std::uint16_t>(c.m)));
}

void set_up_fraction(ModulusConstants& c) {
  Wide rest = 1;
  for (int word = 2; word >= 0; --word) {
    rest <<= 64;
    c.fraction[word] = static_cast<std::uint64_t>(rest / static_cast<Wide>(c.m));
    rest %= static_cast<Wide>(c.m);
  }
}

void set_up_digits(Constants& set, int l) {
  const ModulusConstants& c = set.moduli[l];
  const auto m = static_cast<Wide>(c.m);
  Wide fraction = ((static_cast<Wide>(c.weight) << (16 * digits)) + m / 2) / m;
  for (int d = digits - 1; d >= 0; --d) {
    const auto digit = static_cast<std::int16_t>(static_cast<std::uint16_t>(fraction));
    fraction = (fraction - static_cast<Wide>(static_cast<__int128>(digit))) >> 16;
    const auto bits = static_cast<std::uint32_t>(static_cast<std::uint16_t>(digit));
    auto& pair = set.digit_pairs[l / 2][d];
    pair = static_cast<std::int32_t>(static_cast<std::uint32_t>(pair) | (l % 2 == 0 ? bits : bits << 16));
  }
}

void multiply_whole(Constants& set, std::uint64_t m) {
  Wide carry = 0;
  for (std::uint64_t& word : set.whole) {
    carry += static_cast<Wide>(word) * m;
    word = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  assert(carry == 0);
}

int bits_of(const std::uint64_t* words) {
  for (int i = 2; i >= 0; --i) {
    if (words[i] != 0) return 64 * i + 64 - __builtin_clzll(words[i]);
  }
  return 0;
}

// The leading 53 bits as FP64, and what is left of the number.
double take_leading(std::uint64_t* words) {
  const int bits = bits_of(words), drop = bits > 53 ? bits - 53 : 0;
  std::uint64_t leading = 0;
  for (int bit = bits - 1; bit >= drop; --bit) {
    leading = leading << 1 | (words[bit / 64] >> (bit % 64) & 1);
    words[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
  }
  double value = static_cast<double>(leading);
  for (int i = 0; i < drop; ++i) value *= 2;
  return value;
}

enum class Units { OfTheEngine, None };

std::unique_ptr<const Constants> make_constants(const kernels::modulus* table, int count, Units units) {
  auto set = std::make_unique<Constants>();
  set->count = count;
  set->whole[0] = 1;
  for (int l = 0; l < count; ++l) multiply_whole(*set, table[l].m);
  for (int l = 0; l < count; ++l) {
    ModulusConstants& c = set->moduli[l];
    c.m = static_cast<std::int32_t>(table[l].m);
    std::int64_t unit = 1;
    if (c.m % 2 != 0 && units == Units::OfTheEngine) {
      unit = set_up_operands(c, count <= fast_moduli);
      set_up_words(c);
      set_up_canonical(c, unit);
    }
    std::int64_t cofactor = unit;
    for (int other = 0; other < count; ++other) {
      if (other != l) cofactor = cofactor * static_cast<std::int64_t>(table[other].m) % c.m;
    }
    c.weight = static_cast<std::uint32_t>(inverse_modulo(cofactor, c.m));
    set_up_fraction(c);
    set_up_digits(*set, l);
  }
  std::uint64_t rest[3] = {set->whole[0], set->whole[1], set->whole[2]};
  set->whole_high = take_leading(rest);
  set->whole_low = take_leading(rest);
  return set;
}

using Known = std::array<std::atomic<const Constants*>, most_moduli + 1>;

const Constants& find_or_make(Known& known, const kernels::modulus* table, int count, Units units) {
  std::atomic<const Constants*>& slot = known[static_cast<std::size_t>(count)];
  if (const Constants* found = slot.load(std::memory_order_acquire)) return *found;
  std::unique_ptr<const Constants> fresh = make_constants(table, count, units);
  const Constants* published = nullptr;
  if (slot.compare_exchange_strong(published, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
  return *published;
}

}  // namespace

const Constants& constants_for(const kernels::modulus* table, int count) {
  static constinit Known known{};
  return find_or_make(known, table, count, Units::OfTheEngine);
}

const Constants& plain_constants_for(const kernels::modulus* table, int count) {
  static constinit Known known{};
  return find_or_make(known, table, count, Units::None);
}

}  // namespace ab::device::native
