// SPDX-License-Identifier: MIT
// Double-float numbers: conversion on bits, the multiply-add step, sums (docs/numerics.md 10).

// RN24 of a 53-bit word times 2^scale and of what is left. Source: docs/numerics.md 10.1.
AB_FN pair32 pair_of_word(ulong word, int scale) {
  pair32 r;
  r.hi = 0.0f;
  r.lo = 0.0f;
  ulong m = significand64(word);
  if (m == 0ul) return r;
  uint sign = AB_UINT(word >> 63);
  int up = AB_INT(leading_zeros64(m)) - 11;
  m = m << up;  // 53 bits, subnormal words too
  int e = exponent64(word) - up + scale;
  uint kept = AB_UINT(m >> 29);
  uint rest = AB_UINT(m & 0x1FFFFFFFul);
  bool above = rest > 0x10000000u || (rest == 0x10000000u && (kept & 1u) != 0u);
  r.hi = float_of(sign, above ? kept + 1u : kept, e + 29);
  uint left = above ? 0x20000000u - rest : rest;  // at most 2^28
  if (above) sign = 1u - sign;
  int drop = 8 - AB_INT(AB_CLZ(left));
  if (drop > 0) {
    uint tail = left & ((1u << drop) - 1u);
    uint half_way = 1u << (drop - 1);
    left = left >> drop;
    if (tail > half_way || (tail == half_way && (left & 1u) != 0u)) left = left + 1u;
    e = e + drop;
  }
  r.lo = float_of(sign, left, e);
  return r;
}

// RN64((hi + lo) 2^scale) of a normalised pair, one rounding.
AB_FN ulong word_of_pair(pair32 x, int scale) {
  uint high = AB_FLOAT_BITS(x.hi);
  uint low = AB_FLOAT_BITS(x.lo);
  if ((high << 1) == 0u) return 0ul;
  ulong m = AB_ULONG((high & 0x7FFFFFu) | 0x800000u) << 38;
  int e = AB_INT((high >> 23) & 255u) - 188;
  if ((low << 1) != 0u) {
    ulong n = AB_ULONG((low & 0x7FFFFFu) | 0x800000u) << 38;
    n = shift_right_jam64(n, e - (AB_INT((low >> 23) & 255u) - 188));
    m = (high >> 31) == (low >> 31) ? m + n : m - n;
  }
  return round64(AB_ULONG(high >> 31) << 63, m, e + scale, 0u);
}

// c + a b: 15 operations, a is the left operand.
AB_FN pair32 dd_step(pair32 c, pair32 a, pair32 b) {
  AB_X float p = AB_MUL(a.hi, b.hi);
  AB_X float e = AB_FMA(a.hi, b.hi, -p);
  e = AB_FMA(a.lo, b.hi, e);
  e = AB_FMA(a.hi, b.lo, e);
  pair32 s = two_sum(p, c.hi);
  AB_X float z = AB_ADD(e, c.lo);
  AB_X float t = AB_ADD(s.lo, z);
  return fast_two_sum(s.hi, t);
}

AB_FN pair32 dd_add(pair32 a, pair32 b) {
  pair32 s = two_sum(a.hi, b.hi);
  pair32 f = two_sum(a.lo, b.lo);
  AB_X float e = AB_ADD(s.lo, f.hi);
  pair32 v = fast_two_sum(s.hi, e);
  AB_X float w = AB_ADD(f.lo, v.lo);
  return fast_two_sum(v.hi, w);
}
AB_FN pair32 dd_negate(pair32 a) {
  pair32 r;
  r.hi = -a.hi;
  r.lo = -a.lo;
  return r;
}
AB_FN pair32 dd_subtract(pair32 a, pair32 b) { return dd_add(a, dd_negate(b)); }
