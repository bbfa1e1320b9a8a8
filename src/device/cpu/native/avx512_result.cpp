// SPDX-License-Identifier: MIT
// x / M is the fraction of a weighted sum of residues, here to 2^-96; times M in two doubles it is x to about 2^-75 of its size.
// Where both ends of the error interval round to the same FP64 number, that is the answer; else the entry is done once more in
// integers (docs/cpu_engine.md).
#include "device/cpu/native/avx512_result.hpp"

#include <immintrin.h>

#include "device/cpu/native/exact_entry.hpp"
#include "device/cpu/native/result_row.hpp"
#include "device/cpu/native/text.hpp"

namespace ab::device::native {
namespace {

// Buffers of crt_product_i8.
struct Result {
  const text::reconstruct_params* p;
  const std::int32_t* left_shifts;
  const std::int32_t* right_shifts;
  std::uint64_t* c_re;
  std::uint64_t* c_im;
};

Result result_of(void* const* buffers) {
  const auto* const p = static_cast<const text::crt_product_params*>(buffers[9]);
  return {&p->r, static_cast<const std::int32_t*>(buffers[4]), static_cast<const std::int32_t*>(buffers[5]),
          static_cast<std::uint64_t*>(buffers[7]) + p->r.c.offset_re, static_cast<std::uint64_t*>(buffers[8]) + p->r.c.offset_im};
}

template <Which which>
inline int residue_at(const Row& row, int l, int entry) {
  const std::int8_t* const at = row.at + l * row.modulus_stride + entry;
  if constexpr (which == Which::Real) return at[0];
  if constexpr (which == Which::RealPart) return at[0] - at[row.product_stride];
  return at[2 * row.product_stride] - at[0] - at[row.product_stride];
}

// One entry in integers; `shift` is sigma + tau.
template <Which which>
__attribute__((noinline)) std::uint64_t exact_word(const Row& row, const Constants& set, int entry, int shift) {
  std::int32_t residues[most_moduli];
  for (int l = 0; l < set.count; ++l) residues[l] = residue_at<which>(row, l, entry);
  return exact_entry(residues, set, shift);
}

// Sums of the digits of x / M for 16 entries each: of the lower and the upper half of every four left vectors.
struct DigitSums {
  __m512i low[digits], high[digits];
};

template <Which which>
inline __attribute__((always_inline)) DigitSums sum_digits(const Row& row, const Constants& set) {
  DigitSums sums;
#pragma GCC unroll 6
  for (int d = 0; d < digits; ++d) sums.low[d] = sums.high[d] = _mm512_setzero_si512();
  for (int l = 0; l < set.count; l += 2) {
    const __m512i x = residues_at<which>(row, l);
    const __m512i y = l + 1 < set.count ? residues_at<which>(row, l + 1) : _mm512_setzero_si512();
    const __m512i low = _mm512_unpacklo_epi16(x, y), high = _mm512_unpackhi_epi16(x, y);
#pragma GCC unroll 6
    for (int d = 0; d < digits; ++d) {
      const __m512i pair = _mm512_set1_epi32(set.digit_pairs[l / 2][d]);
      sums.low[d] = _mm512_dpwssd_epi32(sums.low[d], low, pair);
      sums.high[d] = _mm512_dpwssd_epi32(sums.high[d], high, pair);
    }
  }
  return sums;
}

// x 2^64 of eight entries as the unrounded sum high + low.
struct Pair {
  __m512d high, low;
};

template <int half>
inline __attribute__((always_inline)) __m256i half_of(__m512i x) {
  return half == 0 ? _mm512_castsi512_si256(x) : _mm512_extracti64x4_epi64(x, 1);
}

template <int half>
inline __attribute__((always_inline)) Pair value_of(const __m512i* sums, const Constants& set) {
  const __m512i top = _mm512_add_epi32(_mm512_slli_epi32(sums[0], 16), sums[1]);  // modulo 1: what overflows is whole
  const __m512i upper = _mm512_slli_epi64(_mm512_cvtepi32_epi64(half_of<half>(top)), 32);
  const __m512i middle = _mm512_slli_epi64(_mm512_cvtepi32_epi64(half_of<half>(sums[2])), 16);
  const __m512i phi = _mm512_add_epi64(_mm512_add_epi64(upper, middle), _mm512_cvtepi32_epi64(half_of<half>(sums[3])));
  const __m512d below = _mm512_fmadd_pd(_mm512_cvtepi32_pd(half_of<half>(sums[5])), _mm512_set1_pd(0x1p-32),
                                        _mm512_mul_pd(_mm512_cvtepi32_pd(half_of<half>(sums[4])), _mm512_set1_pd(0x1p-16)));
  const __m512d high = _mm512_cvtepi64_pd(phi);
  const __m512d low = _mm512_add_pd(_mm512_cvtepi64_pd(_mm512_sub_epi64(phi, _mm512_cvtpd_epi64(high))), below);
  const __m512d whole = _mm512_set1_pd(set.whole_high);
  Pair x;
  x.high = _mm512_mul_pd(high, whole);
  x.low = _mm512_fmsub_pd(high, whole, x.high);
  x.low = _mm512_fmadd_pd(high, _mm512_set1_pd(set.whole_low), x.low);
  x.low = _mm512_fmadd_pd(low, whole, x.low);
  return x;
}

// Eight entries rounded, and which of them surely are right; the others are to be done in integers.
struct Rounded {
  __m512d word;
  __mmask8 sure;
};

inline Rounded round_and_scale(const Pair& x, const Constants& set, __m512d exponent) {
  const __m512d magnitude = _mm512_abs_pd(x.high);
  const __m512d error = _mm512_fmadd_pd(magnitude, _mm512_set1_pd(0x1p-98), _mm512_set1_pd(set.whole_high * 0x1p-19));
  const __m512d up = _mm512_add_pd(x.high, _mm512_add_pd(x.low, error)), down = _mm512_add_pd(x.high, _mm512_sub_pd(x.low, error));
  const __m512d scaled = _mm512_scalef_pd(up, exponent);
  const __mmask8 normal = _mm512_cmp_pd_mask(_mm512_abs_pd(scaled), _mm512_set1_pd(0x1p-1022), _CMP_GE_OQ);
  return {scaled, static_cast<__mmask8>(_mm512_cmp_pd_mask(up, down, _CMP_EQ_OQ) & normal)};
}

// The entries of one row, in the order of the left vectors: right vector r (0 and 1), then 16 + r.
struct Words {
  __m512d at[4];
};

template <Which which>
inline Words words_of(const Row& row, const Constants& set, const __m512d* left_exponent, const int* shift_of_right,
                      const std::int32_t* left_shifts) {
  const __m512i first = _mm512_setr_epi64(0, 2, 8, 10, 4, 6, 12, 14), second = _mm512_setr_epi64(1, 3, 9, 11, 5, 7, 13, 15);
  const DigitSums sums = sum_digits<which>(row, set);
  const Pair a[2] = {value_of<0>(sums.low, set), value_of<1>(sums.low, set)};
  const Pair b[2] = {value_of<0>(sums.high, set), value_of<1>(sums.high, set)};
  Words out;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const Pair &low = a[i % 2], &high = b[i % 2];
    const __m512i& order = i < 2 ? first : second;
    const Pair x{_mm512_permutex2var_pd(low.high, order, high.high), _mm512_permutex2var_pd(low.low, order, high.low)};
    const __m512d exponent = _mm512_sub_pd(left_exponent[i % 2], _mm512_set1_pd(shift_of_right[i / 2]));
    const Rounded rounded = round_and_scale(x, set, exponent);
    out.at[i] = rounded.word;
    if (rounded.sure == 0xFF) continue;
    alignas(64) std::uint64_t words[8];
    _mm512_store_pd(words, out.at[i]);
    for (unsigned rest = static_cast<__mmask8>(~rounded.sure); rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest), vector = 8 * (i % 2) + lane;
      words[lane] = exact_word<which>(row, set, 2 * vector + i / 2, left_shifts[vector] + shift_of_right[i / 2]);
    }
    out.at[i] = _mm512_load_pd(words);
  }
  return out;
}

// Which of eight rows from i on exist and are stored in column j.
__mmask8 stored_rows(const text::result_view& c, Index i, Index j) {
  const auto lanes = [](Index count) { return count >= 8 ? 0xFFu : count <= 0 ? 0u : (1u << count) - 1; };
  unsigned mask = lanes(static_cast<Index>(c.rows) - i);
  const Index diagonal = static_cast<Index>(c.column0) + j - static_cast<Index>(c.row0) - i;  // lane of the diagonal
  if (c.triangle == 1) mask &= lanes(diagonal + 1);
  if (c.triangle == 2) mask &= ~lanes(diagonal);
  return static_cast<__mmask8>(mask);
}

inline __m512d canonical(__m512d x) {
  return _mm512_mask_mov_pd(x, _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q),
                            _mm512_castsi512_pd(_mm512_set1_epi64(static_cast<long long>(AB_NAN))));
}

inline __m512d scalar_of(std::uint64_t word) {
  return _mm512_set1_pd(__builtin_bit_cast(double, word));
}

void store_real(const Result& out, __m512d product, Index i, Index j) {
  const text::scalars& s = out.p->s;
  const __mmask8 mask = stored_rows(out.p->c, i, j);
  auto* const c = reinterpret_cast<double*>(out.c_re) + i + j * out.p->c.column_stride;
  __m512d t = _mm512_mul_pd(scalar_of(s.alpha_re), product);
  if (!text::is_zero64(s.beta_re)) t = _mm512_add_pd(t, _mm512_mul_pd(scalar_of(s.beta_re), _mm512_maskz_loadu_pd(mask, c)));
  _mm512_mask_storeu_pd(c, mask, canonical(t));
}

struct ComplexLanes {
  __m512d re, im;
};

inline ComplexLanes times(std::uint64_t s_re, std::uint64_t s_im, const ComplexLanes& x) {
  const __m512d a = scalar_of(s_re), b = scalar_of(s_im);
  const __m512d minus = _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(_mm512_mul_pd(b, x.im)), _mm512_set1_epi64(INT64_MIN)));
  return {_mm512_add_pd(_mm512_mul_pd(a, x.re), minus), _mm512_add_pd(_mm512_mul_pd(a, x.im), _mm512_mul_pd(b, x.re))};
}

// Lanes 0..7 of two registers of interleaved pairs.
inline __mmask8 pair_mask(__mmask8 mask, int half) {
  return static_cast<__mmask8>(_pdep_u32(mask >> (4 * half) & 15u, 0x55u) * 3u);
}

void store_complex(const Result& out, const ComplexLanes& product, Index i, Index j) {
  const text::scalars& s = out.p->s;
  const __mmask8 mask = stored_rows(out.p->c, i, j);
  const __mmask8 low_mask = pair_mask(mask, 0), high_mask = pair_mask(mask, 1);
  auto* const c = reinterpret_cast<double*>(out.c_re) + 2 * i + j * out.p->c.column_stride;
  ComplexLanes t = product;
  if (s.alpha_re != AB_ONE || !text::is_zero64(s.alpha_im)) t = times(s.alpha_re, s.alpha_im, product);
  if (!text::beta_is_zero(s)) {
    const __m512d low = _mm512_maskz_loadu_pd(low_mask, c), high = _mm512_maskz_loadu_pd(high_mask, c + 8);
    ComplexLanes u{_mm512_permutex2var_pd(low, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), high),
                   _mm512_permutex2var_pd(low, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), high)};
    if (s.beta_re != AB_ONE || !text::is_zero64(s.beta_im)) u = times(s.beta_re, s.beta_im, u);
    t.re = _mm512_add_pd(t.re, u.re);
    t.im = _mm512_add_pd(t.im, u.im);
  }
  t.re = canonical(t.re);
  t.im = canonical(t.im);
  _mm512_mask_storeu_pd(c, low_mask, _mm512_permutex2var_pd(t.re, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), t.im));
  _mm512_mask_storeu_pd(c + 8, high_mask, _mm512_permutex2var_pd(t.re, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), t.im));
}

// Any strides, Hermitian results: entry by entry.
void store_slowly(const Result& out, const ComplexLanes& product, Index i, Index j) {
  alignas(64) std::uint64_t re[8], im[8];
  _mm512_store_pd(re, product.re);
  _mm512_store_pd(im, product.im);
  const text::result_view& c = out.p->c;
  for (unsigned rest = stored_rows(c, i, j); rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const Index at = (i + lane) * c.row_stride + j * c.column_stride;
    text::parts64 before{};
    if (!text::beta_is_zero(out.p->s)) before = {out.c_re[at], c.parts == 2 ? out.c_im[at] : 0};
    const bool diagonal = static_cast<Index>(c.row0) + i + lane == static_cast<Index>(c.column0) + j;
    const text::parts64 after = text::epilogue64({re[lane], im[lane]}, before, out.p->s, c.parts, diagonal);
    out.c_re[at] = after.re;
    if (c.parts == 2) out.c_im[at] = after.im;
  }
}

// How entries of eight rows are stored.
enum class Store { Real, Complex, Slowly };

Store way_to_store(const Result& out) {
  const text::result_view& c = out.p->c;
  if (out.p->s.hermitian != 0) return Store::Slowly;
  if (c.parts == 1) return c.row_stride == 1 ? Store::Real : Store::Slowly;
  return c.row_stride == 2 && out.c_im == out.c_re + 1 ? Store::Complex : Store::Slowly;
}

// Exponents of eight left vectors: -64 - sigma, and the shifts themselves; nothing beyond the last vector is read.
struct LeftShifts {
  __m512d exponent[2];
  std::int32_t shift[tile_vectors];
};

LeftShifts left_shifts_of(const Result& out, Index i) {
  LeftShifts left;
  const Index count = static_cast<Index>(out.p->c.rows) - i;
  for (Index v = 0; v < tile_vectors; ++v) left.shift[v] = v < count ? out.left_shifts[out.p->left_first + i + v] : 0;
  const __m512d offset = _mm512_set1_pd(-64);
  for (int h = 0; h < 2; ++h) {
    const __m256i shifts = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(left.shift + 8 * h));
    left.exponent[h] = _mm512_sub_pd(offset, _mm512_cvtepi32_pd(shifts));
  }
  return left;
}

void write_row(const Result& out, const Row& row, const BlockResults& b, const LeftShifts& left, Index i, Index j) {
  const Index columns = out.p->c.columns;
  int right[2];
  for (Index h = 0; h < 2; ++h) right[h] = j + 16 * h < columns ? out.right_shifts[out.p->right_first + j + 16 * h] : 0;
  Words re, im;
  if (b.products == 1) {
    re = words_of<Which::Real>(row, *b.constants, left.exponent, right, left.shift);
    im = re;
  } else {
    re = words_of<Which::RealPart>(row, *b.constants, left.exponent, right, left.shift);
    im = words_of<Which::ImaginaryPart>(row, *b.constants, left.exponent, right, left.shift);
  }
  const Store store = way_to_store(out);
  for (int part = 0; part < 4; ++part) {
    const Index at_i = i + 8 * (part % 2), at_j = j + 16 * (part / 2);
    if (at_j >= columns) continue;
    if (store == Store::Real) {
      store_real(out, re.at[part], at_i, at_j);
    } else if (store == Store::Complex) {
      store_complex(out, {re.at[part], im.at[part]}, at_i, at_j);
    } else {
      store_slowly(out, {re.at[part], im.at[part]}, at_i, at_j);
    }
  }
}

}  // namespace

void write_results(void* const* buffers, const BlockResults& b) {
  const Result out = result_of(buffers);
  const Index right_end = b.right_tiles.first + b.right_tiles.count, columns = out.p->c.columns;
  const std::int8_t* at = b.at;
  for (Index jt = b.right_tiles.first; jt < right_end; jt += 2) {
    for (Index it = 0; it < b.left_tiles.count; ++it, at += pair_entries) {
      const Index i = (b.left_tiles.first + it) * tile_vectors, j = jt * tile_vectors;
      const LeftShifts left = left_shifts_of(out, i);
      for (Index r = 0; r < tile_vectors && j + r < columns; ++r) {
        write_row(out, {at + 32 * r, b.modulus_stride, b.product_stride}, b, left, i, j + r);
      }
    }
  }
}

}  // namespace ab::device::native
