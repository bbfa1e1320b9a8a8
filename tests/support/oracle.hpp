// SPDX-License-Identifier: MIT
// Exact values and weights of product entries, and errors compared with proven bounds as rationals.
#pragma once
#include <array>

#include "support/call.hpp"

namespace ab::test {

/// One part of one entry: P = value 2^unit and (|A||B|) = weight 2^unit, per part as in docs/numerics.md 0.
struct ExactPart {
  BigInt value, weight;
  int unit = 0;
};
std::array<ExactPart, 2> exact_entry(const Vectors& left, Index i, const Vectors& right, Index j);

/// Whether |computed - P| <= bound u |A||B| / 1024 + slack 2^-1075 for a finite computed word; `bound` in units of u/1024,
/// u = 2^-53. Add 1024 to a bound for the final rounding, or use `within_rounded`.
bool within(Word computed, const ExactPart& exact, std::int64_t bound, std::int64_t slack = 0);

/// The same with half a unit in the last place of `computed` for the final rounding instead of a slack. An infinite word
/// passes iff P can be that large under the bound.
bool within_rounded(Word computed, const ExactPart& exact, std::int64_t bound);

}  // namespace ab::test
