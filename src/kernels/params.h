// SPDX-License-Identifier: MIT
// Structs shared by kernels and host. Fixed layout: members of 4 or 8 bytes, 8-byte members at multiples of 8, no padding.

// The record of a vector (docs/numerics.md 5.1). Fields of zero vectors but `flags` are 0; low and top of a part without
// entries are AB_NO_LOW and AB_NO_TOP.
AB_STRUCT(vector_record)
  int E;        // largest exponent
  int nmin;     // smallest
  int L;        // bits of S
  uint flags;   // AB_RECORD_ZERO | AB_RECORD_NONFINITE
  int low_re;   // exponent of the lowest set bit, by part
  int low_im;
  int top_re;   // largest exponent, by part
  int top_im;
  ulong R_re;   // sum of q, by part
  ulong R_im;
  ulong S;      // sum of q^2
  ulong spare;
AB_STRUCT_END(vector_record)

// One modulus of a set: constants of residues (7.2) and of the fractional reconstruction (7.4).
AB_STRUCT(modulus)
  uint m;
  uint inverse;   // floor(2^32 / m)
  uint power1;    // 2^16 mod m
  uint power2;    // 2^32 mod m
  uint power3;    // 2^48 mod m
  uint power4;    // 2^64 mod m
  uint y;         // (M/m)^-1 mod m
  float reciprocal;  // 1/m rounded to FP32
  uint limb0;     // floor(2^W / m) in limbs, least significant first
  uint limb1;
  uint limb2;
  uint limb3;
  uint limb4;
  uint limb5;
  uint limb6;
  uint limb7;
  uint limb8;
  uint limb9;
  uint spare0;
  uint spare1;
AB_STRUCT_END(modulus)

// M = m_1 ... m_N in limbs of limb_bits bits (7.4).
AB_STRUCT(reconstruction)
  uint count;      // N
  uint limbs;      // W / limb_bits
  uint limb_bits;
  uint spare;
  uint m0;
  uint m1;
  uint m2;
  uint m3;
  uint m4;
  uint m5;
  uint m6;
  uint m7;
  uint m8;
  uint m9;
  uint spare0;
  uint spare1;
AB_STRUCT_END(reconstruction)
