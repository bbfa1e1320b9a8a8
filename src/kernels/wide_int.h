// SPDX-License-Identifier: MIT
// Integers of 256 bits: what the reconstruction of one entry needs, with room to align two terms of the split form exactly.

AB_STRUCT(wide)
  ulong w0;
  ulong w1;
  ulong w2;
  ulong w3;
AB_STRUCT_END(wide)

AB_FN wide wide_zero() {
  wide r;
  r.w0 = 0ul;
  r.w1 = 0ul;
  r.w2 = 0ul;
  r.w3 = 0ul;
  return r;
}
AB_FN bool wide_is_zero(wide x) { return (x.w0 | x.w1 | x.w2 | x.w3) == 0ul; }
AB_FN int wide_bits(wide x) {
  if (x.w3 != 0ul) return 192 + bits64(x.w3);
  if (x.w2 != 0ul) return 128 + bits64(x.w2);
  if (x.w1 != 0ul) return 64 + bits64(x.w1);
  return bits64(x.w0);
}
AB_FN wide wide_left(wide x, int n) {  // 0 <= n < 256
  wide r = x;
  for (int words = n >> 6; words > 0; --words) {
    r.w3 = r.w2;
    r.w2 = r.w1;
    r.w1 = r.w0;
    r.w0 = 0ul;
  }
  int bits = n & 63;
  if (bits == 0) return r;
  r.w3 = (r.w3 << bits) | (r.w2 >> (64 - bits));
  r.w2 = (r.w2 << bits) | (r.w1 >> (64 - bits));
  r.w1 = (r.w1 << bits) | (r.w0 >> (64 - bits));
  r.w0 = r.w0 << bits;
  return r;
}
// x 2^-n, the last bit also standing for everything shifted out.
AB_FN wide wide_right_jam(wide x, int n) {
  wide r = x;
  ulong lost = 0ul;
  for (int words = n >= 256 ? 4 : n >> 6; words > 0; --words) {
    lost = lost | r.w0;
    r.w0 = r.w1;
    r.w1 = r.w2;
    r.w2 = r.w3;
    r.w3 = 0ul;
  }
  int bits = n & 63;
  if (bits != 0 && n < 256) {
    lost = lost | (r.w0 << (64 - bits));
    r.w0 = (r.w0 >> bits) | (r.w1 << (64 - bits));
    r.w1 = (r.w1 >> bits) | (r.w2 << (64 - bits));
    r.w2 = (r.w2 >> bits) | (r.w3 << (64 - bits));
    r.w3 = r.w3 >> bits;
  }
  r.w0 = r.w0 | (lost != 0ul ? 1ul : 0ul);
  return r;
}
AB_FN bool wide_less(wide a, wide b) {
  if (a.w3 != b.w3) return a.w3 < b.w3;
  if (a.w2 != b.w2) return a.w2 < b.w2;
  if (a.w1 != b.w1) return a.w1 < b.w1;
  return a.w0 < b.w0;
}
AB_FN wide wide_add(wide a, wide b) {
  wide r;
  ulong carry = 0ul;
  r.w0 = a.w0 + b.w0;
  carry = r.w0 < a.w0 ? 1ul : 0ul;
  r.w1 = a.w1 + b.w1;
  ulong over = r.w1 < a.w1 ? 1ul : 0ul;
  r.w1 = r.w1 + carry;
  carry = over + (r.w1 < carry ? 1ul : 0ul);
  r.w2 = a.w2 + b.w2;
  over = r.w2 < a.w2 ? 1ul : 0ul;
  r.w2 = r.w2 + carry;
  carry = over + (r.w2 < carry ? 1ul : 0ul);
  r.w3 = a.w3 + b.w3 + carry;
  return r;
}
AB_FN wide wide_not(wide x) {
  wide r;
  r.w0 = ~x.w0;
  r.w1 = ~x.w1;
  r.w2 = ~x.w2;
  r.w3 = ~x.w3;
  return r;
}
AB_FN wide wide_subtract(wide a, wide b) {  // a >= b
  wide one = wide_zero();
  one.w0 = 1ul;
  return wide_add(a, wide_add(wide_not(b), one));
}

// A signed integer times a power of two.
AB_STRUCT(scaled)
  wide magnitude;
  ulong sign;  // AB_SIGN or 0
  int exponent;
  int spare;
AB_STRUCT_END(scaled)

// RN64(x): one rounding. The last bit may stand for a tail when there are 56 bits or more.
AB_FN ulong round_scaled(scaled x) {
  int n = wide_bits(x.magnitude);
  if (n <= 64) return round64(x.sign, x.magnitude.w0, x.exponent, 0u);
  wide top = wide_right_jam(x.magnitude, n - 64);
  return round64(x.sign, top.w0 & ~1ul, x.exponent + n - 64, AB_UINT(top.w0 & 1ul));
}

// x + y for magnitudes below 2^150. Exact, or with a jammed last bit when the terms are so far apart that nothing cancels.
AB_FN scaled add_scaled(scaled x, scaled y) {
  if (wide_is_zero(x.magnitude)) return y;
  if (wide_is_zero(y.magnitude)) return x;
  int up = 254 - wide_bits(x.magnitude);
  x.magnitude = wide_left(x.magnitude, up);
  x.exponent = x.exponent - up;
  up = 254 - wide_bits(y.magnitude);
  y.magnitude = wide_left(y.magnitude, up);
  y.exponent = y.exponent - up;
  int e = x.exponent > y.exponent ? x.exponent : y.exponent;
  wide a = wide_right_jam(x.magnitude, e - x.exponent);
  wide b = wide_right_jam(y.magnitude, e - y.exponent);
  scaled r;
  r.exponent = e;
  r.spare = 0;
  if (x.sign == y.sign) {
    r.sign = x.sign;
    r.magnitude = wide_add(a, b);
  } else if (wide_less(a, b)) {
    r.sign = y.sign;
    r.magnitude = wide_subtract(b, a);
  } else {
    r.sign = x.sign;
    r.magnitude = wide_subtract(a, b);
  }
  return r;
}
