// SPDX-License-Identifier: MIT
// Residues of a product, in the order product.cuh leaves them, -> x -> the one rounding -> epilogue -> C, with the bits of the common
// kernel (docs/numerics.md 6.3, 7.4). x / M is the fraction of a weighted sum, here in FP64: the weights' upper parts give exact sums,
// the lower ones an error that is known. Where both ends of the error interval round to the same number, that is the answer; the few
// other entries are done in integers. The error bound is in docs/cuda_kernels.md.
#pragma once
#include "device/cuda/native/layout.hpp"

namespace ab::device::cuda::native {

using kernels::ulong;

// The residue of one entry and output part; `at`: its byte in the first plane of the modulus.
template <int products>
__device__ __forceinline__ int residue_at(const unsigned char* at, unsigned long plane_bytes, int part) {
  if (products == 1) return static_cast<int>(at[0]) - 128;
  const int first = at[0], second = at[plane_bytes];
  return part == 0 ? first - second : static_cast<int>(at[2 * plane_bytes]) - first - second + 128;
}

// RN64(x 2^-shift) in integers, as kernels/reconstruct.k does it. `at`: the entry's byte in the first plane.
template <int products>
__device__ __noinline__ ulong exact_word(const unsigned char* at, const ResultParams& p, int part, int shift) {
  const unsigned limb_count = p.whole[1], limb_bits = p.whole[2], mask = (1u << limb_bits) - 1u;
  unsigned sums[10] = {}, any = 0;
  for (int l = 0; l < p.count; ++l) {
    const unsigned* const line = p.table + l * AB_MODULUS_WORDS;
    const int m = static_cast<int>(line[0]), rest = residue_at<products>(at + l * products * p.plane_bytes, p.plane_bytes, part) % m;
    const unsigned positive = static_cast<unsigned>(rest < 0 ? rest + m : rest);
    const unsigned t = kernels::reduce_unsigned(positive * line[AB_MODULUS_Y], line[0], line[AB_MODULUS_INVERSE]);
    any |= t;
    for (unsigned w = 0; w < limb_count; ++w) sums[w] += t * line[AB_MODULUS_LIMB + w];
  }
  if (any == 0) return 0;
  ulong carry = 0;
  for (unsigned w = 0; w < limb_count; ++w) {
    carry += sums[w];
    sums[w] = static_cast<unsigned>(carry) & mask;
    carry >>= limb_bits;
  }
  const bool negative = sums[limb_count - 1] >> (limb_bits - 1) != 0;
  if (negative) {
    unsigned borrow = 1;
    for (unsigned w = 0; w < limb_count; ++w) {
      const unsigned flipped = (sums[w] ^ mask) + borrow;
      sums[w] = flipped & mask;
      borrow = flipped >> limb_bits;
    }
  }
  kernels::wide magnitude = kernels::wide_zero(), one = kernels::wide_zero();
  one.w0 = 1;
  ulong left_over = 0;
  carry = 0;
  for (unsigned place = 0; place < 2 * limb_count; ++place) {
    const unsigned from = place < limb_count ? 0 : place - limb_count + 1, to = place < limb_count ? place : limb_count - 1;
    for (unsigned w = from; w <= to; ++w) carry += static_cast<ulong>(sums[w]) * p.whole[4 + place - w];
    kernels::wide digit = kernels::wide_zero();
    digit.w0 = carry & mask;
    carry >>= limb_bits;
    if (place < limb_count) {
      left_over |= digit.w0;
    } else {
      magnitude = kernels::wide_add(magnitude, kernels::wide_left(digit, static_cast<int>((place - limb_count) * limb_bits)));
    }
  }
  if (!negative && left_over != 0) magnitude = kernels::wide_add(magnitude, one);
  kernels::scaled x;
  x.magnitude = magnitude;
  x.sign = negative ? AB_SIGN : 0;
  x.exponent = -shift;
  x.spare = 0;
  return kernels::round_scaled(x);
}

// Sums of residues times the two parts of their weights.
struct Fraction {
  double upper, lower;
};
__device__ __forceinline__ void add_residue(Fraction& f, double residue, double upper, double lower) {
  f.upper = __fma_rn(residue, upper, f.upper);
  f.lower = __fma_rn(residue, lower, f.lower);
}
// An integer below 2^32 (biased) as FP64: the low word of 2^52 plus it.
__device__ __forceinline__ double unbiased(unsigned biased, double bias) {
  return __dadd_rn(__hiloint2double(0x43300000, static_cast<int>(biased)), -(4503599627370496.0 + bias));
}
__device__ __forceinline__ unsigned byte_of(unsigned word, int e) { return __byte_perm(word, 0u, 0x4440u + static_cast<unsigned>(e)); }

// RN64(x 2^-shift) and whether that is sure.
struct Candidate {
  ulong word;
  bool sure;
};
__device__ __forceinline__ Candidate candidate_of(const Fraction& f, const ResultParams& p, int shift) {
  constexpr double magic = 6755399441055744.0;  // 1.5 2^52: adding it rounds to an integer
  const double fraction = __dsub_rn(f.upper, __dsub_rn(__dadd_rn(f.upper, magic), magic));
  const double sum = __dadd_rn(fraction, f.lower);  // exact with its error: the fraction is a multiple of the lower part's last bit
  const double error = __dsub_rn(f.lower, __dsub_rn(sum, fraction));
  const double high = __dmul_rn(sum, p.whole_upper);
  const double low = __fma_rn(error, p.whole_upper, __fma_rn(sum, p.whole_lower, __fma_rn(sum, p.whole_upper, -high)));
  const double most = __dadd_rn(high, __dadd_rn(low, p.doubt)), least = __dadd_rn(high, __dsub_rn(low, p.doubt));
  const int upper_word = __double2hiint(most), field = ((upper_word >> 20) & 2047) - shift;
  const int scaled_word = static_cast<int>(static_cast<unsigned>(upper_word) - (static_cast<unsigned>(shift) << 20));
  const ulong word = static_cast<ulong>(static_cast<unsigned>(scaled_word)) << 32 | static_cast<unsigned>(__double2loint(most));
  return {word, most == least && static_cast<unsigned>(field - 1) < 2046u};  // normal, also after scaling
}

__device__ __forceinline__ bool is_wanted(const ResultParams& p, int i, int j) {
  return i < p.rows && kernels::is_stored(p.p.c, static_cast<unsigned>(p.first_row + i), static_cast<unsigned>(p.first_column + j));
}
__device__ __forceinline__ long place_in_c(const ResultParams& p, int i, int j) {
  return static_cast<long>(p.first_row + i) * p.p.c.row_stride + static_cast<long>(p.first_column + j) * p.p.c.column_stride;
}
__device__ __forceinline__ kernels::parts64 finished(const ResultParams& p, const kernels::parts64& product, const kernels::parts64& before, int i,
                                                     int j) {
  const bool diagonal = kernels::is_diagonal(p.p.c, static_cast<unsigned>(p.first_row + i), static_cast<unsigned>(p.first_column + j));
  return kernels::epilogue64(product, before, p.p.s, p.p.c.parts, diagonal);
}
template <int products>
__device__ __forceinline__ void store_entry(const ResultParams& p, const kernels::parts64& product, int i, int j) {
  if (!is_wanted(p, i, j)) return;
  const long at = place_in_c(p, i, j);
  kernels::parts64 before{0, 0};
  if (products == 3 && p.store == Store::Interleaved) {
    ulonglong2* const both = reinterpret_cast<ulonglong2*>(p.c_re + at);
    if (p.plain) return __stcs(both, make_ulonglong2(product.re, product.im));
    if (!kernels::beta_is_zero(p.p.s)) before = {both->x, both->y};
    const kernels::parts64 after = finished(p, product, before, i, j);
    __stcs(both, make_ulonglong2(after.re, after.im));
    return;
  }
  if (!kernels::beta_is_zero(p.p.s)) before = {p.c_re[at], products == 3 ? p.c_im[at] : 0};
  const kernels::parts64 after = finished(p, product, before, i, j);
  p.c_re[at] = after.re;
  if (products == 3) p.c_im[at] = after.im;
}
// Entries (i, j) and (i + 1, j).
template <int products>
__device__ __forceinline__ void store_two(const ResultParams& p, const kernels::parts64& first, const kernels::parts64& second, int i, int j) {
  if (p.store != Store::Rows || !is_wanted(p, i, j) || !is_wanted(p, i + 1, j)) {
    store_entry<products>(p, first, i, j);
    store_entry<products>(p, second, i + 1, j);
    return;
  }
  const long at = place_in_c(p, i, j);
  ulonglong2 *const re = reinterpret_cast<ulonglong2*>(p.c_re + at), *const im = reinterpret_cast<ulonglong2*>(p.c_im + at);
  kernels::parts64 x = first, y = second;
  if (!p.plain) {
    kernels::parts64 before_x{0, 0}, before_y{0, 0};
    if (!kernels::beta_is_zero(p.p.s)) {
      before_x.re = re->x, before_y.re = re->y;
      if (products == 3) before_x.im = im->x, before_y.im = im->y;
    }
    x = finished(p, first, before_x, i, j), y = finished(p, second, before_y, i + 1, j);
  }
  __stcs(re, make_ulonglong2(x.re, y.re));
  if (products == 3) __stcs(im, make_ulonglong2(x.im, y.im));
}

// The residues of four entries: a word of each plane.
template <int most, int products>
struct Residues {
  unsigned word[most * products];
};

// Of four entries, real and imaginary parts; modulus by modulus, so that a weight is fetched once for all of them.
struct Fractions {
  Fraction re[4], im[4];
};
template <int most, int products>
__device__ __forceinline__ Fractions fractions_of(const Residues<most, products>& r, const ResultParams& p) {
  Fractions f;
#pragma unroll
  for (int e = 0; e < 4; ++e) f.re[e] = f.im[e] = {0.0, 0.0};
#pragma unroll
  for (int l = 0; l < most; ++l) {
    const double upper = p.upper[l], lower = p.lower[l];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (products == 1) {
        add_residue(f.re[e], unbiased(byte_of(r.word[l], e), 128.0), upper, lower);
        continue;
      }
      const int first = static_cast<int>(byte_of(r.word[products * l], e)), second = static_cast<int>(byte_of(r.word[products * l + 1], e));
      const int third = static_cast<int>(byte_of(r.word[products * l + products - 1], e));
      add_residue(f.re[e], unbiased(static_cast<unsigned>(first - second + 512), 512.0), upper, lower);
      add_residue(f.im[e], unbiased(static_cast<unsigned>(third - first - second + (128 + 512)), 512.0), upper, lower);
    }
  }
  return f;
}

template <int most, int products>
__device__ __forceinline__ void write_four(const Residues<most, products>& r, const ResultParams& p, const unsigned char* at, int i, int j) {
  const int right = p.right_shifts[p.p.right_first + p.first_column + j];
  const Fractions f = fractions_of(r, p);
  kernels::parts64 product[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int row = i + row_of_byte(e);
    const int shift = right + (row < p.rows ? p.left_shifts[p.p.left_first + p.first_row + row] : 0);
    Candidate re = candidate_of(f.re[e], p, shift), im{0, true};
    if (products == 3) im = candidate_of(f.im[e], p, shift);
    if (!re.sure) re.word = exact_word<products>(at + e, p, 0, shift);
    if (products == 3 && !im.sure) im.word = exact_word<products>(at + e, p, 1, shift);
    product[e] = {re.word, im.word};
  }
  store_two<products>(p, product[0], product[1], i, j);
  store_two<products>(p, product[2], product[3], i + 8, j);
}

// A thread makes 4 entries of one column of C, real ones 8. `most`: moduli; the largest kernel also serves fewer.
template <int most, int products>
__device__ __forceinline__ void reconstruct(const ResultParams& p) {
  constexpr int words = products == 1 ? 2 : 1;
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * words, slab = first / (slab_bytes / 4);
  if (slab >= static_cast<unsigned>(p.slabs * p.row_tiles)) return;
  const int column_slab = static_cast<int>(slab) % p.slabs, row_tile = static_cast<int>(slab) / p.slabs;
  const Place place = place_of_word(static_cast<int>(first % (slab_bytes / 4)));
  const int j = column_slab * slab_columns + place.column, i = row_tile * tile_rows + place.row;
  if (j >= p.columns || i >= p.rows) return;
  const unsigned char* const at = p.results + 4ul * first;
  Residues<most, products> r[words];
#pragma unroll
  for (int plane = 0; plane < most * products; ++plane) {
    const bool exists = most < most_moduli || plane < p.count * products;
    if (words == 2) {
      const uint2 both = exists ? __ldcs(reinterpret_cast<const uint2*>(at + plane * p.plane_bytes)) : make_uint2(0x80808080u, 0x80808080u);
      r[0].word[plane] = both.x;
      r[words - 1].word[plane] = both.y;
    } else {
      r[0].word[plane] = exists ? __ldcs(reinterpret_cast<const unsigned*>(at + plane * p.plane_bytes)) : 0x80808080u;
    }
  }
#pragma unroll
  for (int w = 0; w < words; ++w) {
    if (i + 16 * w < p.rows) write_four(r[w], p, at + 4 * w, i + 16 * w, j);
  }
}

}  // namespace ab::device::cuda::native
