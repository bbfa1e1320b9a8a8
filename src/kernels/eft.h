// SPDX-License-Identifier: MIT
// Error-free transformations in FP32. Every rounding is a statement of its own; nothing here may be contracted or reordered.

AB_STRUCT(pair32)
  float hi;
  float lo;
AB_STRUCT_END(pair32)

// (-1)^s kept 2^e as FP32, kept <= 2^24, the result normal or zero.
AB_FN float float_of(uint sign, uint kept, int e) {
  if (kept == 0u) return 0.0f;
  int up = AB_INT(AB_CLZ(kept)) - 8;  // to 24 bits; -1 for 2^24
  uint m = up >= 0 ? kept << up : kept >> 1;
  return AB_BITS_FLOAT((sign << 31) + (AB_UINT(e - up + 149) << 23) + m);
}

// RN24(a b + c) in integers, for devices whose fma is not fused. Operands and result normal or zero (docs/numerics.md 10.5).
AB_FN float soft_fma32(float a, float b, float c) {
  uint ua = AB_FLOAT_BITS(a);
  uint ub = AB_FLOAT_BITS(b);
  uint uc = AB_FLOAT_BITS(c);
  if ((ua << 1) == 0u || (ub << 1) == 0u) return c;
  uint sign = (ua ^ ub) >> 31;
  ulong p = AB_ULONG((ua & 0x7FFFFFu) | 0x800000u) * AB_ULONG((ub & 0x7FFFFFu) | 0x800000u);
  int e = AB_INT((ua >> 23) & 255u) + AB_INT((ub >> 23) & 255u) - 300;
  if ((uc << 1) != 0u) {
    // Both to the top of 62 bits. Bits are lost only by the one that is too small to cancel leading bits of the other.
    p = p << 14;
    e = e - 14;
    ulong q = AB_ULONG((uc & 0x7FFFFFu) | 0x800000u) << 37;
    int f = AB_INT((uc >> 23) & 255u) - 187;
    int top = e > f ? e : f;
    p = shift_right_jam64(p, top - e);
    q = shift_right_jam64(q, top - f);
    e = top;
    if (sign == (uc >> 31)) {
      p = p + q;
    } else if (p >= q) {
      p = p - q;
    } else {
      p = q - p;
      sign = uc >> 31;
    }
  }
  if (p == 0ul) return 0.0f;
  int zeros = AB_INT(leading_zeros64(p));
  p = p << zeros;
  uint kept = AB_UINT(p >> 40);
  ulong rest = p & 0xFFFFFFFFFFul;
  if (rest > 0x8000000000ul || (rest == 0x8000000000ul && (kept & 1u) != 0u)) kept = kept + 1u;
  return float_of(sign, kept, e - zeros + 40);
}

AB_FN pair32 two_sum(float a, float b) {
  AB_X float s = AB_ADD(a, b);
  AB_X float v = AB_SUB(s, a);
  AB_X float w = AB_SUB(s, v);
  AB_X float x = AB_SUB(a, w);
  AB_X float y = AB_SUB(b, v);
  AB_X float t = AB_ADD(x, y);
  pair32 r;
  r.hi = s;
  r.lo = t;
  return r;
}
AB_FN pair32 fast_two_sum(float a, float b) {
  AB_X float s = AB_ADD(a, b);
  AB_X float d = AB_SUB(s, a);
  AB_X float t = AB_SUB(b, d);
  pair32 r;
  r.hi = s;
  r.lo = t;
  return r;
}
AB_FN pair32 two_product(float a, float b) {
  AB_X float p = AB_MUL(a, b);
  AB_X float e = AB_FMA(a, b, -p);
  pair32 r;
  r.hi = p;
  r.lo = e;
  return r;
}
