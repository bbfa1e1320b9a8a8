// SPDX-License-Identifier: MIT
// The judge's double-float: FP32 of unbounded exponent in plain integers (docs/numerics.md 10).
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "support/reference_crt.hpp"

namespace ab::test {

/// n 2^e with at most 24 significant bits: an FP32 number of unbounded exponent.
struct Single {
  std::int64_t n = 0;
  int e = 0;
};
/// Equal as numbers.
bool same(const Single& a, const Single& b);

struct Pair {
  Single hi, lo;
};

Single rn24(std::int64_t n, int e);
Single add(const Single& a, const Single& b);
Single fma(const Single& a, const Single& b, const Single& c);
Pair pair_of(Decoded x);
Pair negated(const Pair& x);
/// c + a b (10.2); a is the left operand.
Pair step(const Pair& a, const Pair& b, const Pair& c);
/// Sum of pairs (10.3).
Pair add(const Pair& a, const Pair& b);
/// RN64(hi + lo)
Word rounded(const Pair& x);

/// Words of class double-float, for a form that 10.6 allows: 1, 3 or 4.
Words double_float_words(const Call& call, const Vectors& left, const Vectors& right, int form);

}  // namespace ab::test
