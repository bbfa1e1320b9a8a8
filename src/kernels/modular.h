// SPDX-License-Identifier: MIT
// Residues modulo small numbers (docs/numerics.md 7.2, 7.3). Tables: words of struct modulus, AB_MODULUS_WORDS each.

#define AB_MODULUS_WORDS 20u
#define AB_MODULUS_INVERSE 1u
#define AB_MODULUS_POWER 2u   // 2^16, 2^32, 2^48, 2^64 mod m
#define AB_MODULUS_Y 6u
#define AB_MODULUS_RECIPROCAL 7u
#define AB_MODULUS_LIMB 8u

// x mod m for any 32-bit x; inverse = floor(2^32 / m) makes the quotient at most one too small.
AB_FN uint reduce_unsigned(uint x, uint m, uint inverse) {
  uint quotient = AB_UINT((AB_ULONG(x) * AB_ULONG(inverse)) >> 32);
  uint r = x - quotient * m;
  return r >= m ? r - m : r;
}
// The symmetric residue of r in [0, m): -floor(m/2) .. ceil(m/2) - 1.
AB_FN int symmetric(uint r, uint m) { return r >= (m + 1u) / 2u ? AB_INT(r) - AB_INT(m) : AB_INT(r); }
// The symmetric residue of any x.
AB_FN int reduce_signed(int x, uint m, uint inverse) {
  uint r = reduce_unsigned(x < 0 ? 0u - AB_UINT(x) : AB_UINT(x), m, inverse);
  if (x < 0 && r != 0u) r = m - r;
  return symmetric(r, m);
}

// The remainder of an integer |x| <= 64 511^2 + 512 on FP32 units, m as a float and 1/m rounded: x mod m, at most floor(m/2) + 1.
// Adding 1.5 2^23 rounds to an integer; no step may be reassociated.
AB_FN float reduce_float(float x, float m, float reciprocal) {
  AB_X float scaled_x = AB_MUL(x, reciprocal);
  AB_X float shifted = AB_ADD(scaled_x, 12582912.0f);
  AB_X float quotient = AB_SUB(shifted, 12582912.0f);
  AB_X float multiple = AB_MUL(quotient, m);
  AB_X float rest = AB_SUB(x, multiple);
  return rest;
}

AB_FN int dot4(uint a, uint b, int sum) {
  sum = sum + (AB_INT(a << 24) >> 24) * (AB_INT(b << 24) >> 24);
  sum = sum + (AB_INT(a << 16) >> 24) * (AB_INT(b << 16) >> 24);
  sum = sum + (AB_INT(a << 8) >> 24) * (AB_INT(b << 8) >> 24);
  return sum + (AB_INT(a) >> 24) * (AB_INT(b) >> 24);
}

// IEEE half of an integer |x| <= 2048 and back: exact, in integers.
AB_FN uint half_of_int(int x) {
  if (x == 0) return 0u;
  uint magnitude = AB_UINT(x < 0 ? -x : x);
  int top = 31 - AB_INT(AB_CLZ(magnitude));
  uint fraction = top <= 10 ? magnitude << (10 - top) : magnitude >> (top - 10);
  return (x < 0 ? 0x8000u : 0u) | (AB_UINT(top + 15) << 10) | (fraction & 0x3FFu);
}
AB_FN int int_of_half(uint h) {
  if ((h & 0x7FFFu) == 0u) return 0;
  int shift = AB_INT((h >> 10) & 31u) - 25;
  uint m = (h & 0x3FFu) | 0x400u;
  int magnitude = AB_INT(shift >= 0 ? m << shift : m >> (-shift));
  return (h & 0x8000u) != 0u ? -magnitude : magnitude;
}
