// SPDX-License-Identifier: MIT
#include "support/reference_crt.hpp"

#include <algorithm>
#include <numeric>

namespace ab::test {
namespace {

using Rows = std::vector<std::vector<Int128>>;

/// Exact parts of a.b. Partial sums are below 2^(budget - 1) in absolute value, by Cauchy and Schwarz (6.1).
template <class Sum>
std::array<Sum, 2> exact_dot(const std::vector<Int128>& a, const std::vector<Int128>& b, int parts) {
  const std::size_t inner = a.size() / static_cast<std::size_t>(parts);
  std::array<Sum, 2> out{};
  for (std::size_t k = 0; k < inner; ++k) {
    out[0] += Sum(a[k]) * Sum(b[k]);
    if (parts == 1) continue;
    out[0] -= Sum(a[inner + k]) * Sum(b[inner + k]);
    out[1] += Sum(a[k]) * Sum(b[inner + k]) + Sum(a[inner + k]) * Sum(b[k]);
  }
  return out;
}

/// RN64(x 2^ex + sign y 2^ey), one rounding.
template <class Sum>
Word rounded_sum(const Sum& x, int ex, const Sum& y, int ey) {
  const int e = std::min(ex, ey);
  return round_to_word(BigInt((BigInt(x) << (ex - e)) + (BigInt(y) << (ey - e))), e);
}

struct Scaled {
  Rows left, right;
  std::vector<int> left_shift, right_shift;
};

Scaled scale(const Vectors& left, const Vectors& right, const Plan& plan) {
  const int budget = reference_ladder[static_cast<std::size_t>(plan.rung.index)];
  Scaled out;
  for (Index i = 0; i < left.count; ++i) {
    out.left_shift.push_back(reference_shift(plan.left[static_cast<std::size_t>(i)], budget));
    out.left.push_back(scaled_vector(left, i, out.left_shift.back(), {plan.kappa, 1}));
  }
  for (Index j = 0; j < right.count; ++j) {
    out.right_shift.push_back(reference_shift(plan.right[static_cast<std::size_t>(j)], budget));
    out.right.push_back(scaled_vector(right, j, out.right_shift.back(), {plan.kappa, -1}));
  }
  return out;
}

template <class Sum>
std::array<Word, 2> joint_entry(const Scaled& s, std::size_t i, std::size_t j, int parts) {
  const auto x = exact_dot<Sum>(s.left[i], s.right[j], parts);
  const int e = -(s.left_shift[i] + s.right_shift[j]);
  return {round_to_word(x[0], e), parts == 2 ? round_to_word(x[1], e) : 0};
}

template <class Sum>
std::array<Word, 2> split_entry(const Scaled& s, std::size_t i, std::size_t j) {
  const std::size_t m = s.left.size() / 2, n = s.right.size() / 2;
  const auto product = [&](std::size_t a, std::size_t b) { return exact_dot<Sum>(s.left[a], s.right[b], 1)[0]; };
  const auto exponent = [&](std::size_t a, std::size_t b) { return -(s.left_shift[a] + s.right_shift[b]); };
  return {rounded_sum<Sum>(product(i, j), exponent(i, j), -product(m + i, n + j), exponent(m + i, n + j)),
          rounded_sum<Sum>(product(i, n + j), exponent(i, n + j), product(m + i, j), exponent(m + i, j))};
}

template <class Sum>
Words all_entries(const Call& call, const Scaled& scaled, bool split) {
  Words out(call.m, call.n, call.parts());
  for (Index i = 0; i < call.m; ++i) {
    for (Index j = 0; j < call.n; ++j) {
      if (!call.stores(i, j)) continue;
      const std::size_t row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
      const auto words = split ? split_entry<Sum>(scaled, row, column) : joint_entry<Sum>(scaled, row, column, out.parts);
      for (int p = 0; p < out.parts; ++p) out.at(i, j, p) = words[static_cast<std::size_t>(p)];
    }
  }
  return out;
}

}  // namespace

Int128 scaled_integer(Word x, int shift) {
  const Decoded d = decode(x);
  const int s = d.e + shift;
  if (s >= 0) return d.n == 0 ? 0 : static_cast<Int128>(d.n) << s;
  if (s <= -63) return 0;  // |n| < 2^53: below one half
  const std::int64_t floor = d.n >> -s, rest = d.n - (floor << -s), half = std::int64_t{1} << (-s - 1);
  return floor + (rest > half || (rest == half && (floor & 1) != 0) ? 1 : 0);
}

std::vector<Int128> scaled_vector(const Vectors& vectors, Index v, int shift, const InnerShift& inner) {
  std::vector<Int128> out;
  out.reserve(static_cast<std::size_t>(vectors.parts * vectors.inner));
  for (int p = 0; p < vectors.parts; ++p) {
    for (Index k = 0; k < vectors.inner; ++k) out.push_back(scaled_integer(vectors.part(v, p)[k], shift + inner.at(k)));
  }
  return out;
}

Words crt_words(const Call& call, const Vectors& left, const Vectors& right, const Plan& plan) {
  const Scaled scaled = plan.split ? scale(split_parts(left), split_parts(right), plan) : scale(left, right, plan);
  const bool narrow = reference_ladder[static_cast<std::size_t>(plan.rung.index)] <= 125;
  return narrow ? all_entries<Int128>(call, scaled, plan.split) : all_entries<Int256>(call, scaled, plan.split);
}

std::int64_t reference_residue(const BigInt& x, std::int64_t m) {
  BigInt r = (x + m / 2) % m;
  if (r < 0) r += m;
  return static_cast<std::int64_t>(r) - m / 2;
}

std::vector<std::int64_t> coprime_from(std::int64_t top, std::size_t count) {
  std::vector<std::int64_t> out;
  for (std::int64_t m = top; out.size() < count; --m) {
    if (std::all_of(out.begin(), out.end(), [m](std::int64_t x) { return std::gcd(m, x) == 1; })) out.push_back(m);
  }
  return out;
}

BigInt garner(const std::vector<std::int64_t>& residues, const std::vector<std::int64_t>& moduli, int budget) {
  const auto modulo = [](std::int64_t x, std::int64_t m) { return (x % m + m) % m; };
  const auto inverse = [&](std::int64_t x, std::int64_t m) {
    std::int64_t candidate = 1;
    while (modulo(x, m) * candidate % m != 1) ++candidate;
    return candidate;
  };
  std::vector<std::int64_t> digits;
  for (std::size_t i = 0; i < moduli.size(); ++i) {
    std::int64_t v = modulo(residues[i], moduli[i]);
    for (std::size_t j = 0; j < i; ++j) v = modulo((v - digits[j]) * inverse(moduli[j], moduli[i]), moduli[i]);
    digits.push_back(v);
  }
  BigInt x = 0, product = 1;
  for (std::size_t i = moduli.size(); i-- > 0;) x = x * moduli[i] + digits[i];
  for (const std::int64_t m : moduli) product *= m;
  return (x >> (budget - 1)) != 0 ? BigInt(x - product) : x;
}

}  // namespace ab::test
