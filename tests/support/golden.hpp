// SPDX-License-Identifier: MIT
// golden/products.json and golden/units.json as structs (docs/numerics.md 13.2).
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "support/reference.hpp"

namespace ab::test {

inline constexpr std::array<Precision, 5> all_classes = {Precision::DoubleFloat, Precision::Fast, Precision::Fp64, Precision::Strict,
                                                         Precision::Exact};

struct GoldenProduct {
  Call call;
  std::map<Precision, Verdict> expect;
};
/// All cases, read once.
const std::vector<GoldenProduct>& golden_products();

struct GoldenUnits {
  std::vector<std::array<Word, 3>> add, mul;  // a, b, result
  std::vector<std::array<Word, 4>> fma;       // a, b, c, result
  struct Round {
    BigInt n;
    int e;
    Word result;
  };
  std::vector<Round> round;
  struct Integer {
    Word x;
    int shift;
    BigInt result;
  };
  std::vector<Integer> integer;
  struct Scan {
    std::vector<Word> words;
    bool zero;
    int E, nmin, L, G, low, top;  // of real vectors
    std::uint64_t S, R;
    std::vector<int> bins;     // h of the nonzero entries in order
    std::map<int, int> shift;  // by budget
  };
  std::vector<Scan> scan;
  struct Family {
    std::vector<int> list;
    int limb_bits;
    std::map<int, std::array<int, 2>> budgets;  // count, limbs
  };
  std::map<ModuliFamily, Family> moduli;
  struct Reconstruct {
    ModuliFamily family;
    int budget;
    std::vector<std::int64_t> residues;
    BigInt x;
  };
  std::vector<Reconstruct> reconstruct;
  struct Rearranged {
    Index inner;
    std::array<std::uint32_t, 96> left, right;
    BigInt result;
  };
  std::vector<Rearranged> rearranged;
  struct PairOf {
    Word x;
    std::uint32_t hi, lo;  // FP32 words
  };
  std::vector<PairOf> pair;
  struct DoubleFloat {
    std::array<std::uint32_t, 2> a, b, c, fma, add;  // FP32 words: fma = step(c, a, b), add = add(a, c)
  };
  std::vector<DoubleFloat> dd;
};
const GoldenUnits& golden_units();

}  // namespace ab::test
