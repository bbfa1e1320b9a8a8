// SPDX-License-Identifier: MIT
// From records and profiles to budget, form and certificate, by integer comparisons alone (docs/numerics.md 8).
#pragma once
#include <optional>
#include <vector>

#include "core/types.hpp"
#include "numerics/record.hpp"

namespace ab::numerics {

inline constexpr std::array<int, 7> ladder = {98, 109, 117, 125, 131, 139, 149};

struct Rung {
  int index;           // in `ladder`
  int level;           // 0, 1, 2: G0, G1, G2
  std::int64_t bound;  // certified, units of u|A||B|/1024
};

/// Index of the class's first budget: Fast 0, Fp64 1, Strict 2.
int first_rung(Precision precision);
/// The largest acceptable bound in units of u/1024 (8.5). parts: 1 real, 2 complex.
std::int64_t contract(Precision precision, Index inner, int parts);

/// What a look needs beside both sides: the sizes of the groups of inner indices ({K} in a first look).
struct Look {
  Side left, right;
  int parts;
  std::vector<Index> group_sizes;
};

/// The certified bound of one budget: G0, else the smaller of G1 and G2 (saturated at 2^62 = no certificate).
Rung certify(const Look& look, int index);
/// The first rung from `first` on whose bound is at most `limit`, or none.
std::optional<Rung> climb(const Look& look, std::int64_t limit, int first);

/// A second look is due when the first found nothing, or something above the second rung (8.5).
bool wants_second_look(const std::optional<Rung>& found, int first);
/// The split form is tried under the same condition on the joint form's final plan; it is taken if the joint form has none or
/// 4 b_split < 3 b_joint (8.7).
bool takes_split(const std::optional<Rung>& joint, const Rung& split);

/// Inner exponents and groups of the second look (8.6), from the peaks of both sides: peaks[k] = max of ex - E over the
/// vectors and parts with an entry at k; no_peak where there is none.
inline constexpr std::int32_t no_peak = INT32_MIN;
struct Inner {
  std::vector<std::int32_t> kappa;  // K
  std::vector<std::int32_t> group;  // K: 0.. (number in group_sizes, empty groups left out), -1: none
  std::vector<Index> group_sizes;   // nonempty groups only; empty: no met index, so no second look
  bool any_kappa = false;           // false: the first look's records still hold
};
Inner plan_inner(std::span<const std::int32_t> left_peaks, std::span<const std::int32_t> right_peaks);

/// Class double-float (10.5, 10.6): the form (1 real, 3 or 4 products), or none when the range conditions fail.
std::optional<int> double_float_form(std::span<const Record> left, std::span<const Record> right, int parts, Index inner);
/// 32 (3K+13), 32 (3K+16) or 32 (6K+45) by form: the bound of class double-float in units of u|A||B|.
double double_float_bound(int form, Index inner);

}  // namespace ab::numerics
