// SPDX-License-Identifier: MIT
#include "support/reference_plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>

namespace ab::test {
namespace {

using UInt256 = boost::multiprecision::uint256_t;
using Pairs = std::vector<std::pair<int, int>>;

/// By output part, the parts that meet.
const std::vector<Pairs>& sums(int parts) {
  static const std::vector<Pairs> real = {{{0, 0}}};
  static const std::vector<Pairs> complex = {{{0, 0}, {1, 1}}, {{0, 1}, {1, 0}}};
  return parts == 1 ? real : complex;
}

/// One side under one budget (8.1).
struct View {
  std::array<bool, 2> inexact{};
  std::array<UInt128, 2> U{};
  int H = 0;
  std::optional<int> g;

  View(std::span<const Scanned> side, int parts, int budget) {
    bool first = true;
    for (const Scanned& r : side) {
      if (r.zero) continue;
      const int d = reference_digits(r, budget), shift = reference_shift(r, budget);
      bool any = false;
      for (std::size_t p = 0; p < static_cast<std::size_t>(parts); ++p) {
        const bool odd = r.low[p] != AB_NO_LOW && r.low[p] + shift < 0;
        inexact[p] = inexact[p] || odd;
        any = any || odd;
        U[p] = std::max(U[p], static_cast<UInt128>(r.R[p]) << d);
      }
      const int height = (r.L + 1) / 2 + d;
      H = first ? height : std::min(H, height);
      first = false;
      if (any) g = g ? std::min(*g, r.nmin + shift) : r.nmin + shift;
    }
  }
};

std::int64_t power_ceiling(std::int64_t e) {
  return e < 0 ? 1 : e >= 62 ? reference_endless : std::int64_t{1} << e;
}

std::int64_t range_bound(const View& a, const View& b) {
  UInt128 sum = 0;
  if (a.g) sum += static_cast<UInt128>(power_ceiling(62 - *a.g));
  if (b.g) sum += static_cast<UInt128>(power_ceiling(62 - *b.g));
  if (a.g && b.g) sum += static_cast<UInt128>(power_ceiling(61 - *a.g - *b.g));
  return static_cast<std::int64_t>(std::min<UInt128>(sum, reference_endless));
}

std::int64_t rearrangement_bound(const View& a, const View& b, int parts, const Overlap& overlap) {
  UInt256 worst = 0;
  for (const Pairs& pairs : sums(parts)) {
    UInt256 n = 0, weight = 0;
    for (const auto& [x, y] : pairs) {
      if (b.inexact[static_cast<std::size_t>(y)]) n += a.U[static_cast<std::size_t>(x)];
      if (a.inexact[static_cast<std::size_t>(x)]) n += b.U[static_cast<std::size_t>(y)];
    }
    if (n == 0) continue;
    for (const auto& [x, y] : pairs) weight += overlap(x, y);
    if (weight == 0) return reference_endless;
    const UInt256 scaled = n << (158 - a.H - b.H);
    worst = std::max<UInt256>(worst, (scaled + weight - 1) / weight);
  }
  return worst >= UInt256(reference_endless) ? reference_endless : static_cast<std::int64_t>(worst);
}

bool any_nonzero(std::span<const Scanned> side) {
  return std::any_of(side.begin(), side.end(), [](const Scanned& r) { return !r.zero; });
}

/// Inner exponents and groups of the second look.
struct SecondLook {
  std::vector<std::int32_t> kappa, group;
  std::array<Index, 4> sizes{};
  bool any_kappa = false, any_group = false;
};

SecondLook second_look(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::min();
  SecondLook out;
  std::int32_t top = none;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] != none && b[k] != none) top = std::max(top, a[k] + b[k]);
  }
  for (std::size_t k = 0; k < a.size(); ++k) {
    const bool met = a[k] != none && b[k] != none;
    const std::int32_t apart = met ? std::abs(b[k] - a[k]) / 2 : 0;
    out.kappa.push_back(met && b[k] < a[k] ? -apart : apart);
    out.any_kappa = out.any_kappa || apart != 0;
    const std::int32_t below = met ? top - a[k] - b[k] : 4;
    out.group.push_back(below < 4 ? below : -1);
    if (below < 4) {
      ++out.sizes[static_cast<std::size_t>(below)];
      out.any_group = true;
    }
  }
  return out;
}

std::optional<Certificate> climb(const Sides& sides, std::int64_t limit, int first, const SecondLook* groups, Index inner) {
  const bool live = any_nonzero(sides.left) && any_nonzero(sides.right);
  std::map<std::pair<int, int>, UInt128> known;
  const Overlap overlap = [&](int x, int y) -> UInt128 {
    const auto found = known.find({x, y});
    if (found != known.end()) return found->second;
    UInt128 total = 0;
    for (int g = 0; live && g < (groups ? 4 : 1); ++g) {
      const Members members{groups ? std::span<const std::int32_t>(groups->group) : std::span<const std::int32_t>(), g};
      const Index size = groups ? groups->sizes[static_cast<std::size_t>(g)] : inner;
      if (size > 0) total += reference_rearranged(profile_of(sides.left, x, members), profile_of(sides.right, y, members), size);
    }
    known[{x, y}] = total;
    return total;
  };
  for (int index = first; index < static_cast<int>(reference_ladder.size()); ++index) {
    const Certificate rung = reference_certify(sides, index, overlap);
    if (rung.bound <= limit) return rung;
  }
  return std::nullopt;
}

/// Both looks of one form. `parts` and `limit` belong to the call, the vectors to the form.
std::optional<Plan> look(std::int64_t limit, int first, const Vectors& left, const Vectors& right) {
  std::optional<Plan> found;
  std::vector<Scanned> a = scan_all(left), b = scan_all(right);
  const std::optional<Certificate> best = climb({a, b, left.parts}, limit, first, nullptr, left.inner);
  if (best) found = Plan{*best, 1, false, {}, a, b};
  if (best && best->index <= first + 1) return found;
  const SecondLook second = second_look(peaks_of(left, a), peaks_of(right, b));
  if (!second.any_group) return found;
  if (second.any_kappa) {
    a = scan_all(left, {second.kappa, 1});
    b = scan_all(right, {second.kappa, -1});
  }
  const std::optional<Certificate> again = climb({a, b, left.parts}, limit, first, &second, left.inner);
  if (again && (!best || again->index < best->index)) {
    found = Plan{*again, 2, false, second.any_kappa ? second.kappa : std::vector<std::int32_t>(), std::move(a), std::move(b)};
  }
  return found;
}

}  // namespace

UInt128 reference_rearranged(const ReferenceProfile& left, const ReferenceProfile& right, Index inner) {
  UInt128 total = 0;
  for (std::size_t h = 0; h < left.size(); ++h) {
    const Index a0 = h > 0 ? left[h - 1] : 0, a1 = left[h];
    if (a0 == a1) continue;
    for (std::size_t g = 0; g < right.size(); ++g) {
      const Index b0 = inner - right[g], b1 = inner - (g > 0 ? right[g - 1] : 0);
      const Index count = std::min(a1, b1) - std::max(a0, b0);
      if (count <= 0) continue;
      const UInt128 weight = static_cast<UInt128>((3 - h % 2) * (3 - g % 2)) << (94 - h / 2 - g / 2);
      total += weight * static_cast<UInt128>(count);
    }
  }
  return total;
}

Certificate reference_certify(const Sides& sides, int index, const Overlap& overlap) {
  const int budget = reference_ladder[static_cast<std::size_t>(index)];
  const View a(sides.left, sides.parts, budget), b(sides.right, sides.parts, budget);
  if (!a.inexact[0] && !a.inexact[1] && !b.inexact[0] && !b.inexact[1]) return {index, 0, 0};
  const std::int64_t g1 = range_bound(a, b), g2 = rearrangement_bound(a, b, sides.parts, overlap);
  return g1 <= g2 ? Certificate{index, 1, g1} : Certificate{index, 2, g2};
}

std::int64_t reference_contract(Precision precision, Index inner, int parts) {
  if (precision == Precision::Fast) return 1024 * (32 * (3 * inner + (parts == 1 ? 13 : 16)) - 1) - 1;
  if (precision == Precision::Fp64) return inner * parts == 1 ? 0 : 1024 * (inner * parts - 1) - 1;
  if (precision == Precision::Strict) return 5120;
  throw std::logic_error("a class without a contract");
}

int reference_first(Precision precision) {
  if (precision == Precision::Fast) return 0;
  return precision == Precision::Fp64 ? 1 : 2;
}

std::optional<Plan> reference_plan(Precision precision, const Vectors& left, const Vectors& right) {
  const int first = reference_first(precision);
  const std::int64_t limit = reference_contract(precision, left.inner, left.parts);
  std::optional<Plan> found = look(limit, first, left, right);
  if (left.parts == 1 || (found && found->rung.index <= first + 1)) return found;
  std::optional<Plan> other = look(limit, first, split_parts(left), split_parts(right));
  if (!other) return found;
  const auto budget = [](const Plan& plan) { return reference_ladder[static_cast<std::size_t>(plan.rung.index)]; };
  if (found && 4 * budget(*other) >= 3 * budget(*found)) return found;
  other->split = true;
  return other;
}

std::optional<int> reference_double_float_form(const Sides& sides, Index inner) {
  struct Lean {
    int depth = 0, up = 0, down = 0;
    bool only_im = false, only_re = false;
  };
  const auto lean_of = [](std::span<const Scanned> side) {
    Lean out;
    for (const Scanned& r : side) {
      if (r.zero) continue;
      out.depth = std::max(out.depth, r.E - r.nmin);
      const bool has_re = r.top[0] != AB_NO_TOP, has_im = r.top[1] != AB_NO_TOP;
      out.only_im = out.only_im || !has_re;
      out.only_re = out.only_re || !has_im;
      if (has_re && has_im) out.up = std::max(out.up, r.top[1] - r.top[0]), out.down = std::max(out.down, r.top[0] - r.top[1]);
    }
    return out;
  };
  const Lean a = lean_of(sides.left), b = lean_of(sides.right);
  if (std::max(a.depth, b.depth) > 119 || a.depth + b.depth > 141) return std::nullopt;
  if (sides.parts == 1) return 1;
  const bool leaning = std::min(a.up, b.up) > 1 || std::min(a.down, b.down) > 1;
  const bool lonely = (a.only_im && b.up > 1) || (b.only_im && a.up > 1) || (a.only_re && b.down > 1) || (b.only_re && a.down > 1);
  return leaning || lonely || inner < 16 || a.depth + b.depth > 112 ? 4 : 3;
}

std::optional<int> reference_exact_rung(const Sides& sides) {
  for (std::size_t i = 0; i < reference_ladder.size(); ++i) {
    const View a(sides.left, sides.parts, reference_ladder[i]), b(sides.right, sides.parts, reference_ladder[i]);
    if (!a.inexact[0] && !a.inexact[1] && !b.inexact[0] && !b.inexact[1]) return static_cast<int>(i);
  }
  return std::nullopt;
}

}  // namespace ab::test
