// SPDX-License-Identifier: MIT
// FP64 numbers as 64-bit words in integer arithmetic: the one rounding and soft float (docs/numerics.md 2).

#define AB_SIGN 0x8000000000000000ul
#define AB_INFINITY 0x7FF0000000000000ul
#define AB_NAN 0x7FF8000000000000ul
#define AB_ONE 0x3FF0000000000000ul
#define AB_HIDDEN 0x0010000000000000ul
#define AB_FRACTION 0x000FFFFFFFFFFFFFul

AB_FN uint leading_zeros64(ulong x) {
  uint high = AB_UINT(x >> 32);
  return high != 0u ? AB_CLZ(high) : 32u + AB_CLZ(AB_UINT(x));
}
AB_FN int bits64(ulong x) { return 64 - AB_INT(leading_zeros64(x)); }
AB_FN int trailing_zeros64(ulong x) { return bits64(x & (0ul - x)) - 1; }  // x != 0

AB_FN bool is_nan64(ulong w) { return (w & ~AB_SIGN) > AB_INFINITY; }
AB_FN bool is_infinite64(ulong w) { return (w & ~AB_SIGN) == AB_INFINITY; }
AB_FN bool is_finite64(ulong w) { return (w & AB_INFINITY) != AB_INFINITY; }
AB_FN bool is_zero64(ulong w) { return (w & ~AB_SIGN) == 0ul; }
AB_FN ulong canonical64(ulong w) { return is_nan64(w) ? AB_NAN : w; }
AB_FN ulong negate64(ulong w) { return w ^ AB_SIGN; }

// A finite word is (-1)^s m 2^e.
AB_FN ulong significand64(ulong w) {
  ulong fraction = w & AB_FRACTION;
  return (w & AB_INFINITY) == 0ul ? fraction : (fraction | AB_HIDDEN);
}
AB_FN int exponent64(ulong w) {
  int field = AB_INT((w >> 52) & 0x7FFul);
  return field == 0 ? -1074 : field - 1075;
}

// m 2^-n with a last bit that also stands for everything shifted out (n >= 0).
AB_FN ulong shift_right_jam64(ulong m, int n) {
  if (n <= 0) return m;
  if (n >= 64) return m != 0ul ? 1ul : 0ul;
  ulong lost = m & ((1ul << n) - 1ul);
  return (m >> n) | (lost != 0ul ? 1ul : 0ul);
}

// RN64((m + tail) 2^e) with the sign bit given, 0 <= tail < 1, tail > 0 iff sticky is 1; sticky needs m >= 2^54. m = 0 gives +0.
AB_FN ulong round64(ulong sign, ulong m, int e, uint sticky) {
  if (m == 0ul) return 0ul;
  int zeros = AB_INT(leading_zeros64(m));
  m = m << zeros;  // a sticky m has at least 55 bits, so the tail stays below every bit that is looked at
  e = e - zeros;
  int drop = e < -1085 ? -1074 - e : 11;
  if (drop > 64) return sign;
  ulong kept = drop == 64 ? 0ul : m >> drop;
  ulong rest = drop == 64 ? m : m & ((1ul << drop) - 1ul);
  ulong half_way = 1ul << (drop - 1);
  bool above = rest > half_way || (rest == half_way && (sticky != 0u || (kept & 1ul) != 0ul));
  kept = kept + (above ? 1ul : 0ul);
  e = e + drop;
  // kept <= 2^53; adding it to the exponent field carries by itself, also from subnormal to normal and to infinity
  if (kept < AB_HIDDEN) return sign | kept;
  ulong word = (AB_ULONG(AB_UINT(e + 1074)) << 52) + kept;
  return word >= AB_INFINITY || e > 971 ? (sign | AB_INFINITY) : (sign | word);
}

AB_STRUCT(pair128)
  ulong high;
  ulong low;
AB_STRUCT_END(pair128)

AB_FN pair128 multiply64(ulong a, ulong b) {
  ulong a0 = a & 0xFFFFFFFFul;
  ulong a1 = a >> 32;
  ulong b0 = b & 0xFFFFFFFFul;
  ulong b1 = b >> 32;
  ulong low = a0 * b0;
  ulong middle = a1 * b0 + (low >> 32);
  ulong other = a0 * b1 + (middle & 0xFFFFFFFFul);
  pair128 r;
  r.low = (other << 32) | (low & 0xFFFFFFFFul);
  r.high = a1 * b1 + (middle >> 32) + (other >> 32);
  return r;
}
AB_FN pair128 shift_left128(pair128 x, int n) {  // 0 <= n < 128
  pair128 r;
  if (n == 0) return x;
  if (n >= 64) {
    r.high = x.low << (n - 64);
    r.low = 0ul;
    return r;
  }
  r.high = (x.high << n) | (x.low >> (64 - n));
  r.low = x.low << n;
  return r;
}
AB_FN pair128 shift_right_jam128(pair128 x, int n) {  // n >= 0
  pair128 r;
  if (n == 0) return x;
  if (n >= 128) {
    r.high = 0ul;
    r.low = (x.high | x.low) != 0ul ? 1ul : 0ul;
    return r;
  }
  if (n >= 64) {
    r.high = 0ul;
    ulong below = n == 64 ? 0ul : x.high << (128 - n);
    r.low = (n == 64 ? x.high : x.high >> (n - 64)) | ((below | x.low) != 0ul ? 1ul : 0ul);
    return r;
  }
  r.high = x.high >> n;
  r.low = (x.low >> n) | (x.high << (64 - n)) | ((x.low << (64 - n)) != 0ul ? 1ul : 0ul);
  return r;
}
AB_FN bool less128(pair128 a, pair128 b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }
AB_FN pair128 add128(pair128 a, pair128 b) {
  pair128 r;
  r.low = a.low + b.low;
  r.high = a.high + b.high + (r.low < a.low ? 1ul : 0ul);
  return r;
}
AB_FN pair128 subtract128(pair128 a, pair128 b) {
  pair128 r;
  r.low = a.low - b.low;
  r.high = a.high - b.high - (a.low < b.low ? 1ul : 0ul);
  return r;
}
AB_FN int bits128(pair128 x) { return x.high != 0ul ? 64 + bits64(x.high) : bits64(x.low); }
// RN64(x 2^e); the last bit of x may stand for a tail if x has 56 bits or more.
AB_FN ulong round128(ulong sign, pair128 x, int e) {
  int n = bits128(x);
  if (n <= 64) return round64(sign, x.low, e, 0u);
  pair128 top = shift_right_jam128(x, n - 64);
  return round64(sign, top.low & ~1ul, e + n - 64, AB_UINT(top.low & 1ul));
}

// a b + c, rounded once.
AB_FN ulong soft_fma64(ulong a, ulong b, ulong c) {
  if (is_nan64(a) || is_nan64(b) || is_nan64(c)) return AB_NAN;
  ulong sign = (a ^ b) & AB_SIGN;
  if (is_infinite64(a) || is_infinite64(b)) {
    if (is_zero64(a) || is_zero64(b) || (is_infinite64(c) && (c & AB_SIGN) != sign)) return AB_NAN;
    return sign | AB_INFINITY;
  }
  if (is_infinite64(c)) return c;
  if (is_zero64(a) || is_zero64(b)) {
    if (is_zero64(c)) return sign == (c & AB_SIGN) ? sign : 0ul;
    return c;
  }
  pair128 p = multiply64(significand64(a), significand64(b));
  int ep = exponent64(a) + exponent64(b);
  if (is_zero64(c)) return round128(sign, p, ep);
  // Both to a leading bit of 125: whatever is lost in the alignment that follows is far below the result's last bit.
  int np = 126 - bits128(p);
  p = shift_left128(p, np);
  ep = ep - np;
  pair128 q;
  q.high = 0ul;
  q.low = significand64(c);
  int nq = 126 - bits128(q);
  q = shift_left128(q, nq);
  int eq = exponent64(c) - nq;
  int e = ep > eq ? ep : eq;
  p = shift_right_jam128(p, e - ep);
  q = shift_right_jam128(q, e - eq);
  if (sign == (c & AB_SIGN)) return round128(sign, add128(p, q), e);
  if (less128(p, q)) return round128(c & AB_SIGN, subtract128(q, p), e);
  pair128 difference = subtract128(p, q);
  return round128(sign, difference, e);  // zero: +0
}

AB_FN ulong soft_mul64(ulong a, ulong b) {
  if (is_nan64(a) || is_nan64(b)) return AB_NAN;
  ulong sign = (a ^ b) & AB_SIGN;
  if (is_infinite64(a) || is_infinite64(b)) return is_zero64(a) || is_zero64(b) ? AB_NAN : (sign | AB_INFINITY);
  if (is_zero64(a) || is_zero64(b)) return sign;
  return round128(sign, multiply64(significand64(a), significand64(b)), exponent64(a) + exponent64(b));
}

AB_FN ulong soft_add64(ulong a, ulong b) {
  if (is_nan64(a) || is_nan64(b)) return AB_NAN;
  if (is_infinite64(a)) return is_infinite64(b) && a != b ? AB_NAN : a;
  if (is_infinite64(b)) return b;
  if (is_zero64(a)) {
    if (is_zero64(b)) return a == b ? a : 0ul;
    return b;
  }
  if (is_zero64(b)) return a;
  ulong m = significand64(a) << 9;  // leading bit at most 61, nine spare bits below: enough with a jammed last bit
  ulong n = significand64(b) << 9;
  int em = exponent64(a) - 9;
  int en = exponent64(b) - 9;
  int e = em > en ? em : en;
  m = shift_right_jam64(m, e - em);
  n = shift_right_jam64(n, e - en);
  ulong sign = a & AB_SIGN;
  if (sign == (b & AB_SIGN)) return round64(sign, m + n, e, 0u);
  if (m < n) return round64(b & AB_SIGN, n - m, e, 0u);
  return round64(sign, m - n, e, 0u);  // zero: +0
}

// The arithmetic of epilogue, IEEE path and elementwise kernels: hardware where FP64 is IEEE's, else the above.
#if defined(AB_HARD_FP64)
AB_FN ulong add64(ulong a, ulong b) { return AB_HARD_ADD64(a, b); }
AB_FN ulong mul64(ulong a, ulong b) { return AB_HARD_MUL64(a, b); }
AB_FN ulong fma64(ulong a, ulong b, ulong c) { return AB_HARD_FMA64(a, b, c); }
#else
AB_FN ulong add64(ulong a, ulong b) { return soft_add64(a, b); }
AB_FN ulong mul64(ulong a, ulong b) { return soft_mul64(a, b); }
AB_FN ulong fma64(ulong a, ulong b, ulong c) { return soft_fma64(a, b, c); }
#endif

// sigma or tau of a vector's record (docs/numerics.md 6.1). Nothing is computed of a vector that is not finite: its integers are 0.
AB_FN int shift_of_record(int E, int L, uint flags, int budget) {
  if ((flags & AB_RECORD_NONFINITE) != 0u) return -4096;
  return (flags & AB_RECORD_ZERO) != 0u ? 0 : 14 - E + ((budget - 1 - L) >> 1);
}

// |rint(x 2^shift)|, ties to even, below 2^80 (docs/numerics.md 6.2).
AB_FN pair128 scaled_integer(ulong word, int shift) {
  int s = exponent64(word) + shift;
  pair128 a;
  a.high = 0ul;
  a.low = significand64(word);
  if (s >= 0) return shift_left128(a, a.low == 0ul ? 0 : s);
  if (s <= -54) {
    a.low = 0ul;
    return a;
  }
  ulong rest = a.low & ((1ul << (-s)) - 1ul);
  ulong half_way = 1ul << (-s - 1);
  a.low = a.low >> (-s);
  if (rest > half_way || (rest == half_way && (a.low & 1ul) != 0ul)) a.low = a.low + 1ul;
  return a;
}
