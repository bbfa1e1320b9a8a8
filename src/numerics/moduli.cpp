// SPDX-License-Identifier: MIT
// Moduli sets and their constants (docs/numerics.md 7.1, 7.2, 7.4), built in one go at the first use.
#include "numerics/moduli.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <memory>

#include "numerics/plan.hpp"

namespace ab::numerics {
namespace {

constexpr std::array<int, 20> int8_list = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227,
                                           223, 217, 211, 199, 197, 193, 191, 181, 179, 173};
constexpr std::array<int, 15> ten_list = {1023, 1022, 1021, 1019, 1013, 1009, 1007, 1003, 997, 995, 991, 989, 983, 977, 971};
constexpr std::array<int, 14> eleven_list = {2047, 2046, 2045, 2041, 2039, 2033, 2029, 2027, 2023, 2021, 2017, 2011, 2003, 1999};
constexpr std::size_t families = 3;
constexpr std::size_t most_limbs = 10;  // slots of kernels/params.h

/// Natural number in words of 32 bits, least significant first; 192 bits hold M (below 2^156) times the sum of the moduli.
using Natural = std::array<std::uint32_t, 6>;

Natural times(Natural x, std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (std::uint32_t& word : x) {
    carry += std::uint64_t{word} * factor;
    word = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  assert(carry == 0);
  return x;
}

int bits_of(const Natural& x) {
  for (std::size_t i = x.size(); i-- > 0;) {
    if (x[i] != 0) return static_cast<int>(32 * i) + std::bit_width(x[i]);
  }
  return 0;
}

std::uint32_t limb_of(const Natural& x, int limb, int width) {
  std::uint32_t value = 0;
  for (int bit = 0; bit < width; ++bit) {
    const std::size_t at = static_cast<std::size_t>(limb * width + bit);
    if (at / 32 < x.size()) value |= (x[at / 32] >> (at % 32) & 1u) << bit;
  }
  return value;
}

/// The fewest leading moduli with M >= 2^budget, and M.
struct Leading {
  int count;
  Natural product;
};
Leading leading(std::span<const int> list, int budget) {
  Leading out{0, {1}};
  while (bits_of(out.product) <= budget) {
    assert(static_cast<std::size_t>(out.count) < list.size());
    out.product = times(out.product, static_cast<std::uint32_t>(list[static_cast<std::size_t>(out.count++)]));
  }
  return out;
}

std::uint32_t power_of_two_modulo(int exponent, std::uint32_t m) {
  std::uint32_t value = 1 % m;
  for (int i = 0; i < exponent; ++i) value = 2 * value % m;
  return value;
}

std::uint32_t inverse_modulo(std::uint32_t x, std::uint32_t m) {
  for (std::uint32_t candidate = 1; candidate < m; ++candidate) {
    if (x * candidate % m == 1) return candidate;
  }
  assert(false && "not coprime");
  return 0;
}

/// (M/m)^-1 modulo m
std::uint32_t cofactor_inverse(std::span<const int> used, std::uint32_t m) {
  std::uint32_t cofactor = 1;
  for (const int other : used) {
    if (static_cast<std::uint32_t>(other) != m) cofactor = cofactor * static_cast<std::uint32_t>(other) % m;
  }
  return inverse_modulo(cofactor, m);
}

/// floor(2^W / m), W = limbs * width, by schoolbook division; least significant limb first.
std::array<std::uint32_t, most_limbs> fraction_limbs(std::uint32_t m, int limbs, int width) {
  std::array<std::uint32_t, most_limbs> out{};
  std::uint32_t rest = 1;
  for (int limb = limbs - 1; limb >= 0; --limb) {
    const std::uint32_t value = rest << width;
    out[static_cast<std::size_t>(limb)] = value / m;
    rest = value % m;
  }
  return out;
}

kernels::modulus constants_of(std::uint32_t m, std::span<const int> used, int limbs, int width) {
  const auto t = fraction_limbs(m, limbs, width);
  kernels::modulus out{};
  out.m = m;
  out.inverse = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / m);
  out.power1 = power_of_two_modulo(16, m);
  out.power2 = power_of_two_modulo(32, m);
  out.power3 = power_of_two_modulo(48, m);
  out.power4 = power_of_two_modulo(64, m);
  out.y = cofactor_inverse(used, m);
  out.reciprocal = 1.0f / static_cast<float>(m);
  out.limb0 = t[0], out.limb1 = t[1], out.limb2 = t[2], out.limb3 = t[3], out.limb4 = t[4];
  out.limb5 = t[5], out.limb6 = t[6], out.limb7 = t[7], out.limb8 = t[8], out.limb9 = t[9];
  return out;
}

kernels::reconstruction product_of(const Leading& set, int limbs, int width) {
  std::array<std::uint32_t, most_limbs> m{};
  for (int limb = 0; limb < limbs; ++limb) m[static_cast<std::size_t>(limb)] = limb_of(set.product, limb, width);
  kernels::reconstruction out{};
  out.count = static_cast<std::uint32_t>(set.count);
  out.limbs = static_cast<std::uint32_t>(limbs);
  out.limb_bits = static_cast<std::uint32_t>(width);
  out.m0 = m[0], out.m1 = m[1], out.m2 = m[2], out.m3 = m[3], out.m4 = m[4];
  out.m5 = m[5], out.m6 = m[6], out.m7 = m[7], out.m8 = m[8], out.m9 = m[9];
  return out;
}

ModuliSet build(ModuliFamily family, int budget) {
  const Leading set = leading(family_of(family), budget);
  const std::span<const int> used = family_of(family).first(static_cast<std::size_t>(set.count));
  const int width = limb_bits(family);
  std::uint32_t sum = 0;
  for (const int m : used) sum += static_cast<std::uint32_t>(m - 1);
  const int limbs = (bits_of(times(set.product, sum)) + width - 1) / width;  // least with 2^W > M sum (m - 1)
  assert(static_cast<std::size_t>(limbs) <= most_limbs);
  ModuliSet out{family, budget, set.count, limbs, {}, product_of(set, limbs, width)};
  for (const int m : used) out.constants.push_back(constants_of(static_cast<std::uint32_t>(m), used, limbs, width));
  return out;
}

using Table = std::array<std::array<ModuliSet, ladder.size()>, families>;

std::unique_ptr<const Table> build_all() {
  auto table = std::make_unique<Table>();
  for (std::size_t family = 0; family < families; ++family) {
    for (std::size_t rung = 0; rung < ladder.size(); ++rung) {
      (*table)[family][rung] = build(static_cast<ModuliFamily>(family), ladder[rung]);
    }
  }
  return table;
}

// No static with a guard, which a fork in another thread could leave locked in the child: whoever is first publishes. Never freed:
// products of other threads may outlive static destruction.
const Table& table() {
  static constinit std::atomic<const Table*> published{nullptr};
  const Table* found = published.load(std::memory_order_acquire);
  if (found != nullptr) return *found;
  std::unique_ptr<const Table> built = build_all();
  return published.compare_exchange_strong(found, built.get(), std::memory_order_acq_rel) ? *built.release() : *found;
}

}  // namespace

std::span<const int> family_of(ModuliFamily family) {
  switch (family) {
    case ModuliFamily::Ten:
      return ten_list;
    case ModuliFamily::Eleven:
      return eleven_list;
    default:
      return int8_list;
  }
}

int limb_bits(ModuliFamily family) {
  return family == ModuliFamily::Eleven ? 17 : 18;
}

int residue_bytes(ModuliFamily family) {
  return family == ModuliFamily::Int8 ? 1 : 2;
}

const ModuliSet& moduli(ModuliFamily family, int budget) {
  const auto& sets = table()[static_cast<std::size_t>(family)];
  for (std::size_t rung = 0; rung < ladder.size(); ++rung) {
    if (ladder[rung] == budget) return sets[rung];
  }
  assert(false && "a budget outside the ladder");
  return sets.back();
}

}  // namespace ab::numerics
