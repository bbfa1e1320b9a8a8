// SPDX-License-Identifier: MIT
// Contract, ladder, second look and the split rule (docs/numerics.md 8.5 to 8.7).
#include "numerics/plan.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "numerics/guard.hpp"

namespace ab::numerics {
namespace {

constexpr int second_look_groups = 4;

bool is_met(std::int32_t left_peak, std::int32_t right_peak) {
  return left_peak != no_peak && right_peak != no_peak;
}

}  // namespace

int first_rung(Precision precision) {
  switch (precision) {
    case Precision::Fast:
      return 0;
    case Precision::Fp64:
      return 1;
    case Precision::Strict:
      return 2;
    default:
      assert(false && "a class without budgets");
      return 2;
  }
}

std::int64_t contract(Precision precision, Index inner, int parts) {
  switch (precision) {
    case Precision::Fast:
      return 1024 * (32 * (3 * inner + (parts == 1 ? 13 : 16)) - 1) - 1;
    case Precision::Fp64:
      return inner * parts == 1 ? 0 : 1024 * (inner * parts - 1) - 1;
    case Precision::Strict:
      return 5 * 1024;
    default:
      assert(false && "a class without a contract");
      return 0;
  }
}

std::optional<Rung> climb(const Look& look, std::int64_t limit, int first) {
  Guard guard(look);
  for (int index = first; index < static_cast<int>(ladder.size()); ++index) {
    const Rung rung = guard.certify(index);
    if (rung.bound <= limit) return rung;
  }
  return std::nullopt;
}

bool wants_second_look(const std::optional<Rung>& found, int first) {
  return !found || found->index > first + 1;
}

bool takes_split(const std::optional<Rung>& joint, const Rung& split) {
  if (!joint) return true;
  return 4 * ladder[static_cast<std::size_t>(split.index)] < 3 * ladder[static_cast<std::size_t>(joint->index)];
}

Inner plan_inner(std::span<const std::int32_t> left_peaks, std::span<const std::int32_t> right_peaks) {
  assert(left_peaks.size() == right_peaks.size());
  const std::size_t count = left_peaks.size();
  Inner inner;
  inner.kappa.assign(count, 0);
  inner.group.assign(count, -1);
  std::int32_t top = no_peak;
  for (std::size_t k = 0; k < count; ++k) {
    if (is_met(left_peaks[k], right_peaks[k])) top = std::max(top, left_peaks[k] + right_peaks[k]);
  }
  std::array<Index, second_look_groups> sizes{};
  for (std::size_t k = 0; k < count; ++k) {
    if (!is_met(left_peaks[k], right_peaks[k])) continue;
    inner.kappa[k] = (right_peaks[k] - left_peaks[k]) / 2;  // C++ rounds toward zero, as 8.6 wants it
    inner.any_kappa |= inner.kappa[k] != 0;
    const std::int32_t below = top - left_peaks[k] - right_peaks[k];
    if (below >= second_look_groups) continue;
    inner.group[k] = below;
    ++sizes[static_cast<std::size_t>(below)];
  }
  std::array<std::int32_t, second_look_groups> number{};
  for (std::size_t below = 0; below < sizes.size(); ++below) {
    number[below] = static_cast<std::int32_t>(inner.group_sizes.size());
    if (sizes[below] > 0) inner.group_sizes.push_back(sizes[below]);
  }
  for (std::int32_t& group : inner.group) {
    if (group >= 0) group = number[static_cast<std::size_t>(group)];
  }
  return inner;
}

}  // namespace ab::numerics
