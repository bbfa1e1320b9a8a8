// SPDX-License-Identifier: MIT
#include "support/oracle.hpp"

#include <algorithm>
#include <limits>

namespace ab::test {
namespace {

struct Term {
  int left, right, sign;
};

/// n 2^(e - unit), rounded away from nothing: unit <= e.
BigInt in_units(const BigInt& n, int e, int unit) {
  return n << (e - unit);
}

}  // namespace

std::array<ExactPart, 2> exact_entry(const Vectors& left, Index i, const Vectors& right, Index j) {
  static constexpr std::array<std::array<Term, 2>, 2> terms = {{{{{0, 0, 1}, {1, 1, -1}}}, {{{0, 1, 1}, {1, 0, 1}}}}};
  std::array<ExactPart, 2> out;
  for (int p = 0; p < left.parts; ++p) {
    ExactPart& part = out[static_cast<std::size_t>(p)];
    const auto each = [&](auto&& visit) {
      for (int t = 0; t < left.parts; ++t) {
        const Term term = terms[static_cast<std::size_t>(p)][static_cast<std::size_t>(t)];
        for (Index k = 0; k < left.inner; ++k) {
          const Decoded x = decode(left.part(i, term.left)[k]), y = decode(right.part(j, term.right)[k]);
          if (x.n != 0 && y.n != 0) visit(static_cast<Int128>(x.n) * y.n * term.sign, x.e + y.e);
        }
      }
    };
    int lowest = std::numeric_limits<int>::max(), highest = std::numeric_limits<int>::min();
    each([&](Int128, int e) { lowest = std::min(lowest, e), highest = std::max(highest, e); });
    if (lowest > highest) continue;
    part.unit = lowest;
    if (highest - lowest < 100) {  // 106 + 100 bits and up to 2^31 terms fit
      Int256 value = 0, weight = 0;
      each([&](Int128 n, int e) { value += Int256(n) << (e - lowest), weight += Int256(n < 0 ? -n : n) << (e - lowest); });
      part.value = BigInt(value), part.weight = BigInt(weight);
    } else {
      each([&](Int128 n, int e) { part.value += BigInt(n) << (e - lowest), part.weight += BigInt(n < 0 ? -n : n) << (e - lowest); });
    }
  }
  return out;
}

bool within(Word computed, const ExactPart& exact, std::int64_t bound, std::int64_t slack) {
  const Decoded c = decode(computed);
  const int unit = std::min({c.e, exact.unit - 63, -1075});  // 63: u / 1024
  const BigInt error = abs(BigInt(in_units(c.n, c.e, unit) - in_units(exact.value, exact.unit, unit)));
  const BigInt limit = in_units(exact.weight * bound, exact.unit - 63, unit) + in_units(slack, -1075, unit);
  return error <= limit;
}

bool within_rounded(Word computed, const ExactPart& exact, std::int64_t bound) {
  if (is_nan(computed)) return false;
  const Decoded c = is_finite(computed) ? decode(computed) : Decoded{(std::int64_t{1} << 53) - 1, 971};  // the largest number
  const int unit = std::min({c.e - 1, exact.unit - 63});
  const BigInt limit = in_units(exact.weight * bound, exact.unit - 63, unit);
  const BigInt value = in_units(exact.value, exact.unit, unit);
  if (!is_finite(computed)) {
    const BigInt threshold = in_units(c.n, c.e, unit) + in_units(1, c.e - 1, unit);  // from here on RN64 is infinite
    return (computed & sign_bit) != 0 ? -value + limit >= threshold : value + limit >= threshold;
  }
  return abs(BigInt(in_units(c.n, c.e, unit) - value)) <= limit + in_units(1, c.e - 1, unit);
}

}  // namespace ab::test
