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

// The vectors of an operand (ops/view.hpp), offsets and strides in words.
AB_STRUCT(vector_view)
  ulong offset_re;
  ulong offset_im;
  slong vector_stride;
  slong inner_stride;
  uint vectors;
  uint inner;
  uint parts;
  uint negated;    // bit p: part p counts with the opposite sign
AB_STRUCT_END(vector_view)

// The entries of a result, and which of them exist.
AB_STRUCT(result_view)
  ulong offset_re;
  ulong offset_im;
  slong row_stride;
  slong column_stride;
  uint rows;
  uint columns;
  uint parts;
  uint triangle;   // 0 full, 1 upper, 2 lower
  uint row0;       // this block's first row and column within the whole result: where the diagonal is
  uint column0;
AB_STRUCT_END(result_view)

// alpha, beta and how they are applied (docs/numerics.md 3).
AB_STRUCT(scalars)
  ulong alpha_re;
  ulong alpha_im;
  ulong beta_re;
  ulong beta_im;
  uint hermitian;  // real scalars, imaginary diagonal +0
  uint spare;
AB_STRUCT_END(scalars)

AB_STRUCT(scan_params)
  vector_view v;
  uint groups;
  uint first_record;
  uint use_inner;    // 1: kappa and groups of inner indices are given
  int kappa_sign;
  uint group_count;  // groups of inner indices with profiles, at most 4
  uint spare;
AB_STRUCT_END(scan_params)

AB_STRUCT(peaks_params)
  vector_view v;
  uint groups;
  uint first_record;
AB_STRUCT_END(peaks_params)

AB_STRUCT(residues_params)
  vector_view v;       // `inner` counts this block's terms
  uint groups;
  uint first_vector;   // place of the view's first vector in a residue plane
  uint first_shift;    // and of its shift
  uint first_record;   // and of its record
  uint all_vectors;    // vectors of a residue plane
  uint inner_padded;   // a multiple of 64
  uint inner0;         // first term of the block
  uint use_inner;
  int kappa_sign;
  uint moduli;
  int budget;          // of bits (6.1)
  uint spare;
AB_STRUCT_END(residues_params)

AB_STRUCT(modular_params)
  uint groups;
  uint tile_rows;       // tiles down the result
  uint tile_columns;
  uint left_vectors;    // rows of the result
  uint right_vectors;
  uint inner_padded;
  uint row_words;       // words of 32 bits in a column of a result plane
  uint accumulate;      // 1: add to the residues that are there (blocks over k)
  uint left_first;      // first left vector of the block
  uint right_first;
  uint left_all;        // vectors of a residue plane
  uint right_all;
  uint moduli;
  uint spare;
AB_STRUCT_END(modular_params)

AB_STRUCT(reconstruct_params)
  result_view c;
  scalars s;
  uint groups;
  uint form;            // 1: real, 3: two parts of residues, 2: split (four real products)
  uint row_words;
  uint half_rows;       // split: rows of the block, the imaginary parts' vectors follow
  uint half_columns;
  uint left_first;      // first left vector of the block: where its shift stands
  uint right_first;
  uint left_half;       // split: where the imaginary vectors' shifts begin
  uint right_half;
  uint moduli;
AB_STRUCT_END(reconstruct_params)

// A modular product and its reconstruction in one launch (native kernels crt_product_i8 and crt_product_i8_3m).
AB_STRUCT(crt_product_params)
  modular_params g;
  reconstruct_params r;
  ulong scratch_bytes;
AB_STRUCT_END(crt_product_params)

AB_STRUCT(pack_params)
  vector_view v;
  uint groups;
  uint first_shift;
  uint all_vectors;
  uint inner_padded;
  uint third;           // 1: also re + im
  uint spare;
AB_STRUCT_END(pack_params)

AB_STRUCT(dd_params)
  uint groups;
  uint tile_rows;
  uint tile_columns;
  uint rows;
  uint columns;
  uint inner_padded;
  uint left_first;
  uint right_first;
  uint left_all;
  uint right_all;
  uint form;            // 1, 3, 4 products, one plane of results each
  uint accumulate;      // 1: go on from the pairs that are there (blocks over k, in order)
AB_STRUCT_END(dd_params)

AB_STRUCT(unpack_params)
  result_view c;
  scalars s;
  uint groups;
  uint form;
  uint left_first;
  uint right_first;
AB_STRUCT_END(unpack_params)

AB_STRUCT(ieee_params)
  vector_view left;
  vector_view right;
  result_view c;
  scalars s;
  uint groups;
  uint spare;
AB_STRUCT_END(ieee_params)

AB_STRUCT(elementwise_params)
  ulong offset_a;
  ulong offset_b;
  ulong offset_out;
  ulong count;
  ulong alpha;
  uint operation;       // 0: a + b, 1: a - b, 2: alpha a, 3: +0
  uint groups;
AB_STRUCT_END(elementwise_params)

AB_STRUCT(scale_params)
  result_view c;
  scalars s;
  uint groups;
  uint spare;
AB_STRUCT_END(scale_params)

AB_STRUCT(transfer_params)
  result_view from;
  result_view to;
  uint groups;
  uint spare;
AB_STRUCT_END(transfer_params)

AB_STRUCT(self_test_params)
  uint groups;
  uint count;
AB_STRUCT_END(self_test_params)
