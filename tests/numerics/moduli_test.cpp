// SPDX-License-Identifier: MIT
// Moduli sets against golden/units.json and exact arithmetic; reconstruction with their constants, right and spoilt.
#include "numerics/moduli.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "numerics/plan.hpp"
#include "support/golden.hpp"
#include "support/random.hpp"
#include "support/reference_crt.hpp"

namespace ab::numerics {
namespace {

using test::BigInt;

constexpr std::array<ModuliFamily, 3> families = {ModuliFamily::Int8, ModuliFamily::Ten, ModuliFamily::Eleven};

std::array<std::uint32_t, 10> limbs_of(const kernels::modulus& m) {
  return {m.limb0, m.limb1, m.limb2, m.limb3, m.limb4, m.limb5, m.limb6, m.limb7, m.limb8, m.limb9};
}
std::array<std::uint32_t, 10> limbs_of(const kernels::reconstruction& r) {
  return {r.m0, r.m1, r.m2, r.m3, r.m4, r.m5, r.m6, r.m7, r.m8, r.m9};
}

BigInt number_of(const std::array<std::uint32_t, 10>& limbs, int width) {
  BigInt out = 0;
  for (std::size_t i = limbs.size(); i-- > 0;) out = (out << width) + limbs[i];
  return out;
}

BigInt product_of(const ModuliSet& set) {
  BigInt out = 1;
  for (const kernels::modulus& m : set.constants) out *= m.m;
  return out;
}

TEST(Moduli, ListsAndCountsOfTheGoldenTable) {
  for (const ModuliFamily family : families) {
    const auto& golden = test::golden_units().moduli.at(family);
    const std::span<const int> list = family_of(family);
    EXPECT_TRUE(std::equal(list.begin(), list.end(), golden.list.begin(), golden.list.end()));
    EXPECT_EQ(limb_bits(family), golden.limb_bits);
    for (const auto& [budget, sizes] : golden.budgets) {
      const ModuliSet& set = moduli(family, budget);
      EXPECT_EQ(set.count, sizes[0]);
      EXPECT_EQ(set.limbs, sizes[1]);
      EXPECT_EQ(set.family, family);
      EXPECT_EQ(set.budget, budget);
      EXPECT_EQ(set.constants.size(), static_cast<std::size_t>(set.count));
    }
  }
  EXPECT_EQ(residue_bytes(ModuliFamily::Int8), 1);
  EXPECT_EQ(residue_bytes(ModuliFamily::Ten), 2);
  EXPECT_EQ(residue_bytes(ModuliFamily::Eleven), 2);
}

TEST(Moduli, ListsArePairwiseCoprime) {
  for (const ModuliFamily family : families) {
    const std::span<const int> list = family_of(family);
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(std::gcd(list[i], list[j]), 1);
    }
  }
}

TEST(Moduli, TheCountIsTheLeast) {
  for (const ModuliFamily family : families) {
    for (const int budget : ladder) {
      const ModuliSet& set = moduli(family, budget);
      const BigInt product = product_of(set);
      EXPECT_GE(product, BigInt(1) << budget);
      EXPECT_LT(product / set.constants.back().m, BigInt(1) << budget);
    }
  }
}

TEST(Moduli, ConstantsAreWhatTheySay) {
  for (const ModuliFamily family : families) {
    for (const int budget : ladder) {
      const ModuliSet& set = moduli(family, budget);
      const int width = limb_bits(family), bits = width * set.limbs;
      const BigInt product = product_of(set);
      EXPECT_EQ(number_of(limbs_of(set.product), width), product);
      EXPECT_EQ(set.product.count, static_cast<std::uint32_t>(set.count));
      EXPECT_EQ(set.product.limbs, static_cast<std::uint32_t>(set.limbs));
      EXPECT_EQ(set.product.limb_bits, static_cast<std::uint32_t>(width));
      std::uint32_t sum = 0;
      for (std::size_t l = 0; l < set.constants.size(); ++l) {
        const kernels::modulus& c = set.constants[l];
        sum += c.m - 1;
        EXPECT_EQ(c.m, static_cast<std::uint32_t>(family_of(family)[l]));
        EXPECT_EQ(BigInt(c.inverse), (BigInt(1) << 32) / c.m);
        EXPECT_EQ(BigInt(c.power1), (BigInt(1) << 16) % c.m);
        EXPECT_EQ(BigInt(c.power2), (BigInt(1) << 32) % c.m);
        EXPECT_EQ(BigInt(c.power3), (BigInt(1) << 48) % c.m);
        EXPECT_EQ(BigInt(c.power4), (BigInt(1) << 64) % c.m);
        EXPECT_LT(c.y, c.m);
        EXPECT_EQ(product / c.m * c.y % c.m, 1);
        EXPECT_EQ(c.reciprocal, static_cast<float>(1.0 / c.m));  // the quotient's FP64 rounding is far from an FP32 tie
        EXPECT_EQ(number_of(limbs_of(c), width), (BigInt(1) << bits) / c.m);
        for (const std::uint32_t limb : limbs_of(c)) EXPECT_LT(limb, std::uint32_t{1} << width);
      }
      EXPECT_GT(BigInt(1) << bits, product * sum);
      EXPECT_LE(BigInt(1) << (bits - width), product * sum);
    }
  }
}

/// x by the fractional reconstruction of 7.4; limb sums are checked to stay below 2^32.
BigInt reconstruct(const ModuliSet& set, const std::vector<std::int64_t>& residues) {
  const int width = limb_bits(set.family), bits = width * set.limbs;
  std::array<std::uint64_t, 10> sums{};
  for (std::size_t l = 0; l < set.constants.size(); ++l) {
    const kernels::modulus& c = set.constants[l];
    const std::int64_t m = c.m;
    const std::uint64_t t = static_cast<std::uint64_t>((residues[l] % m + m) % m * c.y % m);
    const auto limbs = limbs_of(c);
    for (std::size_t i = 0; i < limbs.size(); ++i) sums[i] += t * limbs[i];
  }
  BigInt fraction = 0;
  for (std::size_t i = sums.size(); i-- > 0;) {
    EXPECT_LT(sums[i], std::uint64_t{1} << 32);
    fraction = (fraction << width) + sums[i];
  }
  const BigInt one = BigInt(1) << bits;
  fraction %= one;
  if (fraction >= one / 2) fraction -= one;
  const BigInt scaled = fraction * number_of(limbs_of(set.product), width);  // ceil(scaled / 2^bits)
  return scaled <= 0 ? BigInt(-(BigInt(-scaled) >> bits)) : BigInt((scaled + one - 1) >> bits);
}

std::vector<std::int64_t> residues_of(const ModuliSet& set, const BigInt& x) {
  std::vector<std::int64_t> out;
  for (const kernels::modulus& c : set.constants) out.push_back(test::reference_residue(x, c.m));
  return out;
}

std::vector<BigInt> test_values(int budget, test::Random& random) {
  const BigInt top = (BigInt(1) << (budget - 1)) - 1;
  std::vector<BigInt> out = {0, 1, -1, top, -top, top - 1, BigInt(1) << (budget / 2)};
  for (int i = 0; i < 40; ++i) {
    const BigInt bits = BigInt(random.bits()) * random.bits() * random.bits();
    out.push_back(BigInt(bits % (2 * top + 1)) - top);
    out.push_back(BigInt(random.bits() >> 40) - (1 << 23));
  }
  return out;
}

TEST(Moduli, GoldenReconstructions) {
  ASSERT_EQ(test::golden_units().reconstruct.size(), 147u);
  for (const auto& unit : test::golden_units().reconstruct) {
    const ModuliSet& set = moduli(unit.family, unit.budget);
    EXPECT_EQ(residues_of(set, unit.x), unit.residues);
    EXPECT_EQ(reconstruct(set, unit.residues), unit.x);
  }
}

TEST(Moduli, BothReconstructionsAgree) {
  test::Random random(2);
  for (const ModuliFamily family : families) {
    for (const int budget : ladder) {
      const ModuliSet& set = moduli(family, budget);
      std::vector<std::int64_t> list;
      for (const kernels::modulus& c : set.constants) list.push_back(c.m);
      for (const BigInt& x : test_values(budget, random)) {
        const auto residues = residues_of(set, x);
        EXPECT_EQ(reconstruct(set, residues), x);
        EXPECT_EQ(test::garner(residues, list, budget), x);
      }
    }
  }
}

TEST(Moduli, SpoiltSetsAreCaught) {
  for (const ModuliFamily family : families) {
    for (const int budget : ladder) {
      const ModuliSet& set = moduli(family, budget);
      const BigInt top = (BigInt(1) << (budget - 1)) - 1;
      const auto residues = residues_of(set, top);
      std::vector<std::int64_t> list;
      for (const kernels::modulus& c : set.constants) list.push_back(c.m);
      list.pop_back();  // one modulus dropped
      EXPECT_NE(test::garner({residues.begin(), residues.end() - 1}, list, budget), top);
      ModuliSet wrong = set;
      wrong.constants[1].y = wrong.constants[1].y % (wrong.constants[1].m - 1) + 1;
      EXPECT_NE(reconstruct(wrong, residues), top);
      wrong = set;
      for (kernels::modulus& c : wrong.constants) c.limb3 ^= 1;
      EXPECT_NE(reconstruct(wrong, residues), top);
      wrong = set;
      wrong.product.m2 ^= 1;
      EXPECT_NE(reconstruct(wrong, residues), top);
    }
  }
}

TEST(Moduli, OneSetForAllThreads) {
  std::array<const ModuliSet*, 8> seen{};
  std::vector<std::thread> threads;
  for (const ModuliSet*& slot : seen) threads.emplace_back([&slot] { slot = &moduli(ModuliFamily::Ten, 125); });
  for (std::thread& thread : threads) thread.join();
  for (const ModuliSet* set : seen) EXPECT_EQ(set, seen[0]);
  EXPECT_EQ(seen[0]->count, 13);
}

}  // namespace
}  // namespace ab::numerics
