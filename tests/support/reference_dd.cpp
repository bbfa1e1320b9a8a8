// SPDX-License-Identifier: MIT
#include "support/reference_dd.hpp"

#include <vector>

namespace ab::test {
namespace {

/// A sum with its leading bit near bit 61; what was shifted out is or-ed into bit 0, far below any rounding position here.
struct Sum {
  std::int64_t n;
  int e;
};

Sum aligned(std::int64_t n, int e) {
  const int up = 61 - bits_of(n);
  return {n << up, e - up};
}

/// n 2^e + m 2^f exactly up to that sticky bit; n, m of at most 60 bits.
Sum sum_of(std::int64_t n, int e, std::int64_t m, int f) {
  if (m == 0) return n == 0 ? Sum{0, 0} : aligned(n, e);
  if (n == 0) return aligned(m, f);
  const bool first_is_larger = e + bits_of(n) >= f + bits_of(m);
  const Sum larger = first_is_larger ? aligned(n, e) : aligned(m, f);
  const std::int64_t small = first_is_larger ? m : n;
  const int shift = (first_is_larger ? f : e) - larger.e;
  const std::uint64_t magnitude = static_cast<std::uint64_t>(small < 0 ? -small : small);
  std::uint64_t moved;
  if (shift >= 0) {
    moved = magnitude << shift;
  } else if (shift <= -63) {
    moved = 1;
  } else {
    moved = magnitude >> -shift;
    if (moved << -shift != magnitude) moved |= 1;
  }
  return {larger.n + (small < 0 ? -static_cast<std::int64_t>(moved) : static_cast<std::int64_t>(moved)), larger.e};
}

Pair two_sum(const Single& a, const Single& b) {
  const Single s = add(a, b);
  const Single v = add(s, {-a.n, a.e});
  const Single w = add(s, {-v.n, v.e});
  const Single x = add(a, {-w.n, w.e});
  const Single y = add(b, {-v.n, v.e});
  return {s, add(x, y)};
}

Pair fast_two_sum(const Single& a, const Single& b) {
  const Single s = add(a, b);
  const Single d = add(s, {-a.n, a.e});
  return {s, add(b, {-d.n, d.e})};
}

using PairVector = std::vector<Pair>;

Pair dot(const PairVector& a, const PairVector& b) {
  Pair acc;
  for (std::size_t k = 0; k < a.size(); ++k) {
    acc = step(a[k], b[k], acc);
    if ((k + 1) % 128 == 0) acc = two_sum(acc.hi, acc.lo);
  }
  return two_sum(acc.hi, acc.lo);
}

Pair difference(const Pair& a, const Pair& b) {
  return add(a, negated(b));
}

/// Real, imaginary and, for three products, their sum.
using Parts = std::array<PairVector, 3>;

Parts parts_of(const Vectors& vectors, Index v, int form) {
  Parts out;
  for (int p = 0; p < vectors.parts; ++p) {
    for (Index k = 0; k < vectors.inner; ++k) out[static_cast<std::size_t>(p)].push_back(pair_of(decode(vectors.part(v, p)[k])));
  }
  for (std::size_t k = 0; form == 3 && k < out[0].size(); ++k) out[2].push_back(add(out[0][k], out[1][k]));
  return out;
}

std::array<Pair, 2> entry(const Parts& a, const Parts& b, int form) {
  if (form == 1) return {dot(a[0], b[0]), Pair{}};
  if (form == 4) return {difference(dot(a[0], b[0]), dot(a[1], b[1])), add(dot(a[0], b[1]), dot(b[0], a[1]))};
  const Pair t1 = dot(a[0], b[0]), t2 = dot(a[1], b[1]), t3 = dot(a[2], b[2]);
  return {difference(t1, t2), difference(difference(t3, t1), t2)};
}

}  // namespace

bool same(const Single& a, const Single& b) {
  if (a.n == 0 || b.n == 0) return a.n == b.n;
  const Sum x = aligned(a.n, a.e), y = aligned(b.n, b.e);
  return x.n == y.n && x.e == y.e;
}

Single rn24(std::int64_t n, int e) {
  const int drop = bits_of(n) - 24;
  if (drop <= 0) return {n, e};
  const std::int64_t kept = n >> drop, rest = n - (kept << drop), half = std::int64_t{1} << (drop - 1);
  return {kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0), e + drop};
}

Single add(const Single& a, const Single& b) {
  const Sum s = sum_of(a.n, a.e, b.n, b.e);
  return rn24(s.n, s.e);
}

Single fma(const Single& a, const Single& b, const Single& c) {
  const Sum s = sum_of(a.n * b.n, a.e + b.e, c.n, c.e);
  return rn24(s.n, s.e);
}

Pair pair_of(Decoded x) {
  const Single hi = rn24(x.n, x.e);
  const std::int64_t rest = x.n - (hi.n << (hi.e - x.e));
  return {hi, rn24(rest, x.e)};
}

Pair negated(const Pair& x) {
  return {{-x.hi.n, x.hi.e}, {-x.lo.n, x.lo.e}};
}

Pair step(const Pair& a, const Pair& b, const Pair& c) {
  const Single p = rn24(a.hi.n * b.hi.n, a.hi.e + b.hi.e);
  Single e = fma(a.hi, b.hi, {-p.n, p.e});
  e = fma(a.lo, b.hi, e);
  e = fma(a.hi, b.lo, e);
  const Pair s = two_sum(p, c.hi);
  const Single z = add(e, c.lo);
  return fast_two_sum(s.hi, add(s.lo, z));
}

Pair add(const Pair& a, const Pair& b) {
  const Pair s = two_sum(a.hi, b.hi);
  const Pair t = two_sum(a.lo, b.lo);
  const Pair u = fast_two_sum(s.hi, add(s.lo, t.hi));
  return fast_two_sum(u.hi, add(t.lo, u.lo));
}

Word rounded(const Pair& x) {
  const Sum s = sum_of(x.hi.n, x.hi.e, x.lo.n, x.lo.e);
  return round_to_word(static_cast<Int128>(s.n), s.e);
}

Words double_float_words(const Call& call, const Vectors& left, const Vectors& right, int form) {
  std::vector<Parts> a, b;
  for (Index i = 0; i < left.count; ++i) a.push_back(parts_of(left, i, form));
  for (Index j = 0; j < right.count; ++j) b.push_back(parts_of(right, j, form));
  Words out(call.m, call.n, call.parts());
  for (Index i = 0; i < call.m; ++i) {
    for (Index j = 0; j < call.n; ++j) {
      if (!call.stores(i, j)) continue;
      const auto pairs = entry(a[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(j)], form);
      for (int p = 0; p < out.parts; ++p) out.at(i, j, p) = rounded(pairs[static_cast<std::size_t>(p)]);
    }
  }
  return out;
}

}  // namespace ab::test
