// SPDX-License-Identifier: MIT
// Result planes -> integers -> the one rounding -> epilogue -> C (docs/numerics.md 7.4, 6.3, 3; the common kernel is
// kernels/reconstruct.k). x / M is the fraction of a weighted sum of residues, here to 2^-96; times M in two doubles it is x up to a
// known error. Where both ends of the error interval round to the same FP64 number, that is the answer; else the entry is done once
// more in integers.
#include <immintrin.h>

#include <cstdint>

#include "device/cpu/native/avx2.hpp"
#include "device/cpu/native/exact_entry.hpp"
#include "device/cpu/native/text.hpp"

namespace ab::device::native {
namespace {

constexpr Index group_rows = 64, lanes = 8;

struct Result {
  const text::reconstruct_params* p;
  const std::int8_t* residues;
  const Constants* constants;
  const std::int32_t* left_shifts;
  const std::int32_t* right_shifts;
  std::uint64_t* c_re;
  std::uint64_t* c_im;
  Index column_bytes, modulus_stride, part_stride;  // of a result plane
};

// Residues of eight neighbouring rows: their first modulus, and how many of the rows exist.
struct Rows {
  const std::int8_t* at;
  Index count;
};

inline __m128i load_residues(const std::int8_t* at, Index count) {
  if (count == lanes) return _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at)));
  std::int64_t bytes = 0;
  for (Index i = 0; i < count; ++i) bytes |= static_cast<std::int64_t>(static_cast<std::uint8_t>(at[i])) << (8 * i);
  return _mm_cvtepi8_epi16(_mm_cvtsi64_si128(bytes));
}

// Digits of x / M: their weighted sums, below 20 * 128 * 2^15 < 2^27.
struct DigitSums {
  __m256i at[digits];
};

inline DigitSums sum_digits(const Result& r, const Rows& rows) {
  const Constants& set = *r.constants;
  DigitSums sums;
#pragma GCC unroll 6
  for (int d = 0; d < digits; ++d) sums.at[d] = _mm256_setzero_si256();
  for (int l = 0; l < set.count; l += 2) {
    const std::int8_t* const at = rows.at + l * r.modulus_stride;
    const __m128i x = load_residues(at, rows.count);
    const __m128i y = l + 1 < set.count ? load_residues(at + r.modulus_stride, rows.count) : _mm_setzero_si128();
    const __m256i pairs = _mm256_set_m128i(_mm_unpackhi_epi16(x, y), _mm_unpacklo_epi16(x, y));
#pragma GCC unroll 6
    for (int d = 0; d < digits; ++d) {
      sums.at[d] = _mm256_add_epi32(sums.at[d], _mm256_madd_epi16(pairs, _mm256_set1_epi32(set.digit_pairs[l / 2][d])));
    }
  }
  return sums;
}

// x 2^64 of four entries as the unrounded sum high + low.
struct Pair {
  __m256d high, low;
};

template <int half>
inline __m128i half_of(__m256i x) {
  return half == 0 ? _mm256_castsi256_si128(x) : _mm256_extracti128_si256(x, 1);
}

// phi = x / M 2^64 is split into a multiple of 2^32 and the rest, |rest| <= 2^31. Errors of x 2^64, in units of M: 20 * 128 * 2^-33 <
// 2^-21 from the digits, 2^-22 each from rounding the rest, from rounding its product with M, from leaving out its product with the
// lower part of M, and from rounding the sum; of the rest, relative to x, less than 2^-103.
template <int half>
inline Pair value_of(const DigitSums& sums, const Constants& set) {
  const __m256i top = _mm256_add_epi32(_mm256_slli_epi32(sums.at[0], 16), sums.at[1]);  // modulo 1: what overflows is whole
  const __m256i upper = _mm256_slli_epi64(_mm256_cvtepi32_epi64(half_of<half>(top)), 32);
  const __m256i middle = _mm256_slli_epi64(_mm256_cvtepi32_epi64(half_of<half>(sums.at[2])), 16);
  const __m256i phi = _mm256_add_epi64(_mm256_add_epi64(upper, middle), _mm256_cvtepi32_epi64(half_of<half>(sums.at[3])));
  const __m256i rounded = _mm256_add_epi64(phi, _mm256_set1_epi64x(1ll << 31));
  const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6), odd = _mm256_setr_epi32(1, 3, 5, 7, 1, 3, 5, 7);
  const __m128i above = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(rounded, odd));
  const __m128i rest = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(phi, even));
  const __m256d below = _mm256_fmadd_pd(_mm256_cvtepi32_pd(half_of<half>(sums.at[5])), _mm256_set1_pd(0x1p-32),
                                        _mm256_mul_pd(_mm256_cvtepi32_pd(half_of<half>(sums.at[4])), _mm256_set1_pd(0x1p-16)));
  const __m256d high = _mm256_mul_pd(_mm256_cvtepi32_pd(above), _mm256_set1_pd(0x1p32));
  const __m256d low = _mm256_add_pd(_mm256_cvtepi32_pd(rest), below);
  const __m256d whole = _mm256_set1_pd(set.whole_high);
  Pair x;
  x.high = _mm256_mul_pd(high, whole);
  x.low = _mm256_fmsub_pd(high, whole, x.high);
  x.low = _mm256_fmadd_pd(high, _mm256_set1_pd(set.whole_low), x.low);
  x.low = _mm256_fmadd_pd(low, whole, x.low);
  return x;
}

// Four entries rounded, and which of them surely are right; the others are to be done in integers. The error taken here is 2^-98 |x|
// + 2^-17 M, several times the proven one.
struct Rounded {
  __m256i word;
  int sure;
};

inline Rounded round_and_scale(const Pair& x, const Constants& set, __m128i exponents) {
  const __m256d magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x.high);
  const __m256d error = _mm256_fmadd_pd(magnitude, _mm256_set1_pd(0x1p-98), _mm256_set1_pd(set.whole_high * 0x1p-17));
  const __m256d up = _mm256_add_pd(x.high, _mm256_add_pd(x.low, error)), down = _mm256_add_pd(x.high, _mm256_sub_pd(x.low, error));
  const __m256i word = _mm256_castpd_si256(up), exponent = _mm256_cvtepi32_epi64(exponents);
  const __m256i field = _mm256_and_si256(_mm256_srli_epi64(word, 52), _mm256_set1_epi64x(0x7FF));
  const __m256i scaled_field = _mm256_add_epi64(field, exponent);
  const __m256i normal = _mm256_and_si256(_mm256_cmpgt_epi64(scaled_field, _mm256_setzero_si256()),
                                          _mm256_cmpgt_epi64(_mm256_set1_epi64x(0x7FF), scaled_field));
  const __m256d equal = _mm256_cmp_pd(up, down, _CMP_EQ_OQ);
  return {_mm256_add_epi64(word, _mm256_slli_epi64(exponent, 52)), _mm256_movemask_pd(_mm256_and_pd(equal, _mm256_castsi256_pd(normal)))};
}

std::uint64_t word_in_integers(const Result& r, const std::int8_t* at, int shift) {
  std::int32_t residues[most_moduli];
  for (int l = 0; l < r.constants->count; ++l) residues[l] = at[l * r.modulus_stride];
  return exact_entry(residues, *r.constants, shift);
}

// The words of eight rows; shifts are sigma + tau.
void make_words(const Result& r, const Rows& rows, const std::int32_t* shifts, std::uint64_t* words) {
  const DigitSums sums = sum_digits(r, rows);
  const Pair x[2] = {value_of<0>(sums, *r.constants), value_of<1>(sums, *r.constants)};
  int sure = 0;
  for (int half = 0; half < 2; ++half) {
    const __m128i shift = _mm_load_si128(reinterpret_cast<const __m128i*>(shifts) + half);
    const Rounded rounded = round_and_scale(x[half], *r.constants, _mm_sub_epi32(_mm_set1_epi32(-64), shift));
    _mm256_store_si256(reinterpret_cast<__m256i*>(words) + half, rounded.word);
    sure |= rounded.sure << (4 * half);
  }
  if (sure == 0xFF) return;
  for (int i = 0; i < rows.count; ++i) {
    if ((sure >> i & 1) == 0) words[i] = word_in_integers(r, rows.at + i, shifts[i]);
  }
}

void store_entries(const Result& r, Index i, Index j, Index count, const std::uint64_t (&words)[2][lanes]) {
  const text::result_view& c = r.p->c;
  for (Index lane = 0; lane < count; ++lane) {
    const auto row = static_cast<kernels::uint>(i + lane), column = static_cast<kernels::uint>(j);
    if (!text::is_stored(c, row, column)) continue;
    const Index at = text::place_of(c, row, column);
    text::parts64 before{};
    if (!text::beta_is_zero(r.p->s)) before = {r.c_re[at], c.parts == 2 ? r.c_im[at] : 0};
    const text::parts64 product{words[0][lane], r.p->form == 3 ? words[1][lane] : 0};
    const text::parts64 after = text::epilogue64(product, before, r.p->s, c.parts, text::is_diagonal(c, row, column));
    r.c_re[at] = after.re;
    if (c.parts == 2) r.c_im[at] = after.im;
  }
}

// Rows i to end of column j, eight at a time.
void convert_rows(const Result& r, Index i, Index end, Index j) {
  const std::int32_t right = r.right_shifts[r.p->right_first + j];
  alignas(32) std::int32_t shifts[lanes] = {};
  alignas(32) std::uint64_t words[2][lanes];
  for (; i < end; i += lanes) {
    const Index count = end - i < lanes ? end - i : lanes;
    const auto first = static_cast<kernels::uint>(i), last = static_cast<kernels::uint>(i + count - 1),
               column = static_cast<kernels::uint>(j);
    if (!text::is_stored(r.p->c, first, column) && !text::is_stored(r.p->c, last, column)) continue;
    for (Index lane = 0; lane < count; ++lane) shifts[lane] = r.left_shifts[r.p->left_first + i + lane] + right;
    const std::int8_t* const at = r.residues + j * r.column_bytes + i;
    make_words(r, {at, count}, shifts, words[0]);
    if (r.p->form == 3) make_words(r, {at + r.part_stride, count}, shifts, words[1]);
    store_entries(r, i, j, count, words);
  }
}

void convert_groups(const void* state, std::byte*, Index first, Index last) {
  const Result& r = *static_cast<const Result*>(state);
  const Index rows = r.p->c.rows, blocks = (rows + group_rows - 1) / group_rows;
  for (Index group = first; group < last; ++group) {
    const Index i = group % blocks * group_rows;
    convert_rows(r, i, i + group_rows < rows ? i + group_rows : rows, group / blocks);
  }
}

}  // namespace

void reconstruct_avx2(const Launch& launch) {
  const auto* const p = static_cast<const text::reconstruct_params*>(launch.buffers[7]);
  const Index entries = static_cast<Index>(p->c.rows) * static_cast<Index>(p->c.columns), moduli = p->moduli;
  if (p->form == 2) return run_common(launch, "reconstruct_i8", p->groups, entries * moduli * 64);
  Result r{};
  r.p = p;
  r.residues = static_cast<const std::int8_t*>(launch.buffers[0]);
  r.constants = &plain_constants_for(static_cast<const kernels::modulus*>(launch.buffers[1]), static_cast<int>(moduli));
  r.left_shifts = static_cast<const std::int32_t*>(launch.buffers[3]);
  r.right_shifts = static_cast<const std::int32_t*>(launch.buffers[4]);
  r.c_re = static_cast<std::uint64_t*>(launch.buffers[5]) + p->c.offset_re;
  r.c_im = static_cast<std::uint64_t*>(launch.buffers[6]) + p->c.offset_im;
  r.column_bytes = 4 * static_cast<Index>(p->row_words);
  r.part_stride = static_cast<Index>(p->c.columns) * r.column_bytes;
  r.modulus_stride = (p->form == 3 ? 2 : 1) * r.part_stride;
  launch.sharer.share((static_cast<Index>(p->c.rows) + group_rows - 1) / group_rows * static_cast<Index>(p->c.columns),
                      entries * (p->form == 3 ? 2 : 1) * moduli * 4, &convert_groups, &r);
}

}  // namespace ab::device::native
