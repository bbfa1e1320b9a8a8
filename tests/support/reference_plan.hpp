// SPDX-License-Identifier: MIT
// The judge's guard: certificates, ladder, looks and forms (docs/numerics.md 8), written from the page, not from src/.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "support/reference_scan.hpp"

namespace ab::test {

inline constexpr std::array<int, 7> reference_ladder = {98, 109, 117, 125, 131, 139, 149};
inline constexpr std::int64_t reference_endless = std::int64_t{1} << 62;

/// Lambda of 8.4 by its definition, all pairs of bins, in units of 2^-96.
UInt128 reference_rearranged(const ReferenceProfile& left, const ReferenceProfile& right, Index inner);

struct Certificate {
  int index = 0, level = 0;  // rung; 0, 1, 2: G0, G1, G2
  std::int64_t bound = 0;    // units of u|A||B|/1024; reference_endless: none
};
/// Lambda of one pair of parts, summed over the groups of the look.
using Overlap = std::function<UInt128(int left_part, int right_part)>;
struct Sides {
  std::span<const Scanned> left, right;
  int parts;
};
Certificate reference_certify(const Sides& sides, int index, const Overlap& overlap);

std::int64_t reference_contract(Precision precision, Index inner, int parts);
int reference_first(Precision precision);

/// Everything that decides the integers of a CRT product.
struct Plan {
  Certificate rung;
  int look = 1;
  bool split = false;
  std::vector<std::int32_t> kappa;   // empty: none
  std::vector<Scanned> left, right;  // of the look that won; of the split vectors when `split`
};
/// None: no certificate (8.8).
std::optional<Plan> reference_plan(Precision precision, const Vectors& left, const Vectors& right);

/// 10.5, 10.6: 1 real, 3 or 4 products; none: out of range.
std::optional<int> reference_double_float_form(const Sides& sides, Index inner);
/// The lowest rung of the ladder at which no part of either side is inexact, if any (9.2).
std::optional<int> reference_exact_rung(const Sides& sides);

}  // namespace ab::test
