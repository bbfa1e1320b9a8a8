// SPDX-License-Identifier: MIT
// The certificates G0, G1, G2 (docs/numerics.md 8.1 to 8.4) in integers of at most 192 bits.
#include "numerics/guard.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

namespace ab::numerics {
namespace {

struct Wide192 {  // high * 2^128 + low
  std::uint64_t high;
  Wide low;
};

Wide192 shifted(Wide value, int by) {  // by in 0..127; the result fits
  if (by == 0) return {0, value};
  return {static_cast<std::uint64_t>(value >> (128 - by)), value << by};
}

bool at_least(const Wide192& a, const Wide192& b) {
  return a.high != b.high ? a.high > b.high : a.low >= b.low;
}

Wide192 difference(const Wide192& a, const Wide192& b) {
  const std::uint64_t borrow = a.low < b.low ? 1 : 0;
  return {a.high - b.high - borrow, a.low - b.low};
}

int bits_of(Wide value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(value));
}

int bits_of(const Wide192& value) {
  return value.high != 0 ? 128 + std::bit_width(value.high) : bits_of(value.low);
}

/// ceil(numerator / denominator), at most 2^62. Bit by bit: a few dozen steps, and no 192-bit division to get wrong.
std::int64_t saturated_quotient(Wide192 numerator, Wide denominator) {
  if (denominator == 0 || at_least(numerator, shifted(denominator, 62))) return no_certificate;
  std::int64_t quotient = 0;
  for (int bit = std::min(61, bits_of(numerator) - bits_of(denominator)); bit >= 0; --bit) {
    const Wide192 step = shifted(denominator, bit);
    if (!at_least(numerator, step)) continue;
    numerator = difference(numerator, step);
    quotient |= std::int64_t{1} << bit;
  }
  return quotient + (numerator.high != 0 || numerator.low != 0 ? 1 : 0);
}

/// c(e) of 8.3 for a finite exponent.
std::int64_t power_ceiling(int e) {
  if (e < 0) return 1;
  return e >= 62 ? no_certificate : std::int64_t{1} << e;
}

std::int64_t range_bound(const std::optional<int>& left, const std::optional<int>& right) {
  std::uint64_t bound = 0;  // three terms of at most 2^62
  if (left) bound += static_cast<std::uint64_t>(power_ceiling(62 - *left));
  if (right) bound += static_cast<std::uint64_t>(power_ceiling(62 - *right));
  if (left && right) bound += static_cast<std::uint64_t>(power_ceiling(61 - *left - *right));
  return static_cast<std::int64_t>(std::min(bound, static_cast<std::uint64_t>(no_certificate)));
}

bool any_nonzero(const Side& side) {
  return std::any_of(side.records.begin(), side.records.end(), [](const Record& record) { return !is_zero(record); });
}

/// Which part of the left meets which part of the right, by output part: real; then real and imaginary of a complex product.
struct Meeting {
  int left, right;
};
constexpr std::array<Meeting, 1> real_meetings = {{{0, 0}}};
constexpr std::array<std::array<Meeting, 2>, 2> complex_meetings = {{{{{0, 0}, {1, 1}}}, {{{0, 1}, {1, 0}}}}};

std::span<const Meeting> meetings(int parts, int output) {
  if (parts == 1) return real_meetings;
  return complex_meetings[static_cast<std::size_t>(output)];
}

}  // namespace

Wide rearranged(const Profile& left, const Profile& right, Index inner) {
  Wide total = 0;
  int g = bin_count - 1;  // the right side's steps, ascending in position: its bins run downwards
  for (int h = 0; h < bin_count; ++h) {
    const Index begin = h > 0 ? left[static_cast<std::size_t>(h - 1)] : 0;
    const Index end = left[static_cast<std::size_t>(h)];
    if (begin == end) continue;
    while (g >= 0) {
      const Index high = inner - (g > 0 ? right[static_cast<std::size_t>(g - 1)] : 0);
      if (high <= begin) {
        --g;
        continue;
      }
      const Index low = inner - right[static_cast<std::size_t>(g)];
      const Index count = std::min(end, high) - std::max(begin, low);
      if (count > 0) total += static_cast<Wide>(count * (3 - (h & 1)) * (3 - (g & 1))) << (94 - (h >> 1) - (g >> 1));
      if (high > end) break;  // this step also meets the next bin of the left
      --g;
    }
  }
  return total;
}

// Digits, and with them heights and the scale of R, depend on L alone.
Stance stance_of(const Side& side, int parts, int budget) {
  constexpr int none = std::numeric_limits<int>::max();
  struct Largest {
    std::uint64_t R_re = 0, R_im = 0;  // R is at least 1 in one part of a nonzero vector
  };
  std::array<Largest, 64> largest_by_L{};
  Stance out;
  int smallest = none;
  for (const Record& record : side.records) {
    if (is_zero(record)) continue;
    const int shift = shift_of(record, budget);
    const bool inexact_re = record.low_re + shift < 0;
    const bool inexact_im = parts == 2 && record.low_im + shift < 0;
    out.inexact[0] |= inexact_re;
    out.inexact[1] |= inexact_im;
    if (inexact_re || inexact_im) smallest = std::min(smallest, record.nmin + shift);
    assert(record.L >= 0 && record.L < 64);
    Largest& largest = largest_by_L[static_cast<std::size_t>(record.L)];
    largest.R_re = std::max<std::uint64_t>(largest.R_re, record.R_re);
    largest.R_im = std::max<std::uint64_t>(largest.R_im, record.R_im);
  }
  if (smallest != none) out.smallest = smallest;
  int height = none;
  for (int L = 0; L < 64; ++L) {
    const Largest& largest = largest_by_L[static_cast<std::size_t>(L)];
    if (largest.R_re == 0 && largest.R_im == 0) continue;
    const int digits = (budget - 1 - L) >> 1;
    out.sum[0] = std::max(out.sum[0], static_cast<Wide>(largest.R_re) << digits);
    if (parts == 2) out.sum[1] = std::max(out.sum[1], static_cast<Wide>(largest.R_im) << digits);
    height = std::min(height, ((L + 1) >> 1) + digits);
  }
  if (height != none) out.height = height;
  return out;
}

Stance Stances::of(const Side& side, int parts, int index) {
  Kept& kept = kept_[static_cast<std::size_t>(index)];
  if (kept.state.load(std::memory_order_acquire) == Written) return kept.stance;
  const Stance made = stance_of(side, parts, ladder[static_cast<std::size_t>(index)]);
  State state = Empty;
  if (kept.state.compare_exchange_strong(state, BeingWritten, std::memory_order_relaxed)) {
    kept.stance = made;
    kept.state.store(Written, std::memory_order_release);
  }
  return made;
}

Guard::Guard(const Look& look) : look_(look), alive_(any_nonzero(look.left) && any_nonzero(look.right)) {}

Wide Guard::alignment(int left_part, int right_part) {
  if (!alive_) return 0;
  std::optional<Wide>& kept = aligned_[static_cast<std::size_t>(2 * left_part + right_part)];
  if (kept) return *kept;
  Wide total = 0;
  for (std::size_t group = 0; group < look_.group_sizes.size(); ++group) {
    const std::size_t first = group * static_cast<std::size_t>(look_.parts);
    const Profile& left = look_.left.profiles[first + static_cast<std::size_t>(left_part)];
    const Profile& right = look_.right.profiles[first + static_cast<std::size_t>(right_part)];
    total += rearranged(left, right, look_.group_sizes[group]);
  }
  kept = total;
  return total;
}

std::int64_t Guard::rearrangement_bound(const Stance& left, const Stance& right) {
  std::int64_t bound = 0;
  for (int output = 0; output < look_.parts; ++output) {
    Wide error = 0;
    for (const auto [x, y] : meetings(look_.parts, output)) {
      if (right.inexact[static_cast<std::size_t>(y)]) error += left.sum[static_cast<std::size_t>(x)];
      if (left.inexact[static_cast<std::size_t>(x)]) error += right.sum[static_cast<std::size_t>(y)];
    }
    if (error == 0) continue;
    Wide weight = 0;
    for (const auto [x, y] : meetings(look_.parts, output)) weight += alignment(x, y);
    bound = std::max(bound, saturated_quotient(shifted(error, 158 - left.height - right.height), weight));
  }
  return bound;
}

Rung Guard::certify(int index) {
  const auto stance = [&](const Side& side) {
    return side.stances != nullptr ? side.stances->of(side, look_.parts, index)
                                   : stance_of(side, look_.parts, ladder[static_cast<std::size_t>(index)]);
  };
  const Stance left = stance(look_.left), right = stance(look_.right);
  if (!left.inexact[0] && !left.inexact[1] && !right.inexact[0] && !right.inexact[1]) return {index, 0, 0};
  const std::int64_t range = range_bound(left.smallest, right.smallest);
  const std::int64_t rearrangement = rearrangement_bound(left, right);
  return range <= rearrangement ? Rung{index, 1, range} : Rung{index, 2, rearrangement};
}

Rung certify(const Look& look, int index) {
  return Guard(look).certify(index);
}

}  // namespace ab::numerics
