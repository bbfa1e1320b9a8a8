// SPDX-License-Identifier: MIT
// The two passes of a scan over entries: extents, then sizes and bins (docs/numerics.md 5.1). For AVX-512 files only.
#pragma once
#include "device/cpu/native/load_tile.hpp"

namespace ab::device::native {
namespace {

constexpr int bins = 96, counted_bins = 16;
constexpr Index strip_terms = 8192;  // of one vector between two looks at its bins; 128 counts of 64 entries fit a byte
constexpr Index side_vectors = 32;   // side by side
// Terms of 32 vectors side by side that the first pass leaves in neighbouring lines for the second: at the distance of a leading
// dimension they meet in few sets of the caches.
constexpr Index slab_terms = 4096, pair_terms = slab_terms / 2;  // pair_terms: of both parts of complex ones
constexpr Index side_terms = 256;                                // of them between two looks at their bins: 128 counts of two terms
constexpr Index terms_ahead = 8;     // each may lie on a page of its own, where no hardware looks ahead (chosen)
constexpr Index words_ahead = 128;   // of a row: the hardware stops at the end of a page (chosen)
constexpr int least_top_field = 48;  // below it the bin of a zero would be one that counts
constexpr std::uint64_t magnitude_mask = ~(std::uint64_t{1} << 63), infinity = std::uint64_t{0x7FF} << 52;
// What is found of one part of a vector. Magnitudes; zeros do not count.
struct Part {
  std::uint64_t top;         // as a word
  double least, lowest_bit;  // lowest_bit: the smallest 2^low
  std::uint64_t R, S;
  std::uint32_t histogram[bins];
};

struct Scratch {
  alignas(64) double slab[slab_terms * side_vectors];
  Part parts[side_vectors][2];
  std::uint32_t profile[2 * bins];
  alignas(64) std::uint8_t bin_of[strip_terms];                  // also side_terms x side_vectors of them
  alignas(64) std::uint32_t counts[counted_bins][side_vectors];  // of vectors side by side, in the order of add_counts
};
static_assert(sizeof(Scratch) <= native_scratch_bytes - kernels::scratch_bytes);
static_assert(side_terms * side_vectors <= strip_terms);

inline __m512i magnitude_of(__m512d x) {
  return _mm512_and_si512(_mm512_castpd_si512(x), _mm512_set1_epi64(static_cast<long long>(magnitude_mask)));
}

// The first pass over eight entries.
struct Extent {
  __m512i top = _mm512_setzero_si512();
  __m512d least = _mm512_castsi512_pd(_mm512_set1_epi64(static_cast<long long>(infinity))), lowest_bit = least;

  inline __attribute__((always_inline)) void include(__m512d x) {
    const __m512i a = magnitude_of(x);
    const __m512d value = _mm512_castsi512_pd(a);
    const __mmask8 nonzero = _mm512_test_epi64_mask(a, a);
    const __mmask8 has_fraction = _mm512_test_epi64_mask(a, _mm512_set1_epi64((1ll << 52) - 1));
    top = _mm512_max_epu64(top, a);
    least = _mm512_mask_min_pd(least, nonzero, least, value);
    const __m512i without = _mm512_and_si512(a, _mm512_add_epi64(a, _mm512_set1_epi64(-1)));  // its lowest bit
    const __m512d bit = _mm512_mask_sub_pd(value, has_fraction, value, _mm512_castsi512_pd(without));
    lowest_bit = _mm512_mask_min_pd(lowest_bit, nonzero, lowest_bit, bit);
  }
};

// The second pass: q = ceil(|x| 2^(14 - E)), 2^52 added and taken away rounding upwards; sums below 2^53.
struct Sizes {
  __m512d sum = _mm512_setzero_pd(), squares = _mm512_setzero_pd();

  inline __attribute__((always_inline)) void include(__m512i magnitude, __m512d factor) {
    constexpr int up = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
    const __m512d integers = _mm512_set1_pd(0x1p52);
    const __m512d scaled = _mm512_mul_round_pd(_mm512_castsi512_pd(magnitude), factor, up);
    const __m512d q = _mm512_sub_pd(_mm512_add_round_pd(scaled, integers, up), integers);
    sum = _mm512_add_pd(sum, q);
    squares = _mm512_fmadd_pd(q, q, squares);
  }
};

// Field and leading fraction bit of 16 magnitudes: bins are first_bin minus these.
inline __attribute__((always_inline)) __m512i levels_of(__m512i a, __m512i b) {
  const __m512i upper = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  return _mm512_srli_epi32(_mm512_permutex2var_epi32(a, upper, b), 19);
}

// Counts the uppermost bins of `registers` x 64 entries by place in a register, the others one by one through add_one(place, bin).
template <class AddOne>
inline void count_bins(const std::uint8_t* bin_of, Index registers, __m512i* count, AddOne add_one) {
  const __m512i one = _mm512_set1_epi8(1), first_uncounted = _mm512_set1_epi8(counted_bins), end = _mm512_set1_epi8(bins);
  __m512i c[counted_bins];
#pragma GCC unroll 16
  for (int bin = 0; bin < counted_bins; ++bin) c[bin] = _mm512_setzero_si512();
  for (Index i = 0; i < registers; ++i) {
    const __m512i here = _mm512_load_si512(bin_of + 64 * i);
#pragma GCC unroll 16
    for (int bin = 0; bin < counted_bins; ++bin) {
      c[bin] = _mm512_mask_add_epi8(c[bin], _mm512_cmpeq_epi8_mask(here, _mm512_set1_epi8(static_cast<char>(bin))), c[bin], one);
    }
    std::uint64_t rest = _mm512_cmpge_epu8_mask(here, first_uncounted) & _mm512_cmplt_epu8_mask(here, end);
    for (; rest != 0; rest &= rest - 1) {
      const int place = __builtin_ctzll(rest);
      add_one(place, bin_of[64 * i + place]);
    }
  }
#pragma GCC unroll 16
  for (int bin = 0; bin < counted_bins; ++bin) count[bin] = c[bin];
}

// What the second pass needs of a vector; vectors that it skips have factor 0.
struct Measure {
  double factor = 0;
  std::int32_t first_bin = 255;
};

// ---- one vector, its terms at distance 1 or 2

struct Row {
  const double* at;
  Index terms;
  Index to_next;  // words to the vector that comes next
};

enum class Block { Whole, Last };  // 64 terms, or what is left of them

template <int stride, Block block>
inline __attribute__((always_inline)) __m512d load_terms(const Row& row, Index k) {
  if constexpr (block == Block::Last) return load_eight(row.at + k * stride, stride, row.terms - k);
  if constexpr (stride == 1) return _mm512_loadu_pd(row.at + k);
  const double* const at = row.at + 2 * k;  // the entry behind the last one may be nobody's: whole blocks are followed by a term
  return _mm512_permutex2var_pd(_mm512_loadu_pd(at), _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), _mm512_maskz_loadu_pd(0x7F, at + 8));
}

template <int stride>
void look_at_row(const Row& row, Part& part) {
  Extent even, odd;
  Index k = 0;
  for (; k + 16 <= row.terms; k += 16) {
    for (Index line = 0; line < 2 * stride; ++line) {
      _mm_prefetch(reinterpret_cast<const char*>(row.at + k * stride + words_ahead + 8 * line), _MM_HINT_T0);
    }
    even.include(load_terms<stride, Block::Whole>(row, k));
    odd.include(load_terms<stride, Block::Whole>(row, k + 8));
  }
  for (; k < row.terms; k += 8) even.include(load_terms<stride, Block::Last>(row, k));
  part.top = _mm512_reduce_max_epu64(_mm512_max_epu64(even.top, odd.top));
  part.least = _mm512_reduce_min_pd(_mm512_min_pd(even.least, odd.least));
  part.lowest_bit = _mm512_reduce_min_pd(_mm512_min_pd(even.lowest_bit, odd.lowest_bit));
}

inline std::uint64_t total_of(__m512d sums) {
  return static_cast<std::uint64_t>(_mm512_reduce_add_pd(sums));
}

struct RowMeasure {
  __m512d factor;
  __m512i first_bin;
  Sizes even, odd;
};

// The next vector is fetched meanwhile: its first pass waits for memory alone.
template <int stride, Block block>
inline __attribute__((always_inline)) void measure_block(const Row& row, Index k, RowMeasure& m, std::uint8_t* bin_of) {
  const double* const next = row.at + row.to_next + k * stride;
#pragma GCC unroll 16
  for (Index line = 0; line < 8 * stride; ++line) _mm_prefetch(reinterpret_cast<const char*>(next + 8 * line), _MM_HINT_T1);
  __m512i bin[4];
#pragma GCC unroll 4
  for (Index i = 0; i < 4; ++i) {
    const __m512i a = magnitude_of(load_terms<stride, block>(row, k + 16 * i));
    const __m512i b = magnitude_of(load_terms<stride, block>(row, k + 16 * i + 8));
    m.even.include(a, m.factor);
    m.odd.include(b, m.factor);
    bin[i] = _mm512_sub_epi32(m.first_bin, levels_of(a, b));
  }
  _mm512_store_si512(bin_of, _mm512_packus_epi16(_mm512_packus_epi32(bin[0], bin[1]), _mm512_packus_epi32(bin[2], bin[3])));
}

inline __attribute__((always_inline)) __m512i total_of_pairs(__m512i a, __m512i b) {
  return _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
}
template <int from_a, int from_b>
inline __attribute__((always_inline)) __m512i total_of_halves(__m512i a, __m512i b) {
  return _mm512_add_epi64(_mm512_shuffle_i64x2(a, b, from_a), _mm512_shuffle_i64x2(a, b, from_b));
}

// Adds up the bytes of each count to the bin of its number.
inline void add_totals(const __m512i* count, std::uint32_t* histogram) {
  const __m512i zero = _mm512_setzero_si512();
  __m512i two[8];  // the bytes of a count in eights: even bins in lower halves, odd ones in upper halves
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    const __m512i odd = _mm512_slli_epi64(_mm512_sad_epu8(count[2 * i + 1], zero), 32);
    two[i] = _mm512_or_si512(_mm512_sad_epu8(count[2 * i], zero), odd);
  }
  __m512i four[4];  // of counts 4 i to 4 i + 3, a quarter of their sums in each 128 bits
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) four[i] = total_of_pairs(two[2 * i], two[2 * i + 1]);
  const __m512i first = total_of_halves<0x88, 0xDD>(four[0], four[1]), second = total_of_halves<0x88, 0xDD>(four[2], four[3]);
  const __m512i sums = total_of_halves<0x88, 0xDD>(first, second);
  _mm512_storeu_si512(histogram, _mm512_add_epi32(_mm512_loadu_si512(histogram), sums));
}

template <int stride>
void measure_row(const Row& row, const Measure& measure, Part& part, std::uint8_t* bin_of) {
  for (Index k0 = 0; k0 < row.terms; k0 += strip_terms) {
    const Index terms = row.terms - k0 < strip_terms ? row.terms - k0 : strip_terms, registers = (terms + 63) / 64;
    RowMeasure m{_mm512_set1_pd(measure.factor), _mm512_set1_epi32(measure.first_bin), {}, {}};
    Index k = 0;
    for (; k + 64 <= terms; k += 64) measure_block<stride, Block::Whole>(row, k0 + k, m, bin_of + k);
    if (k < terms) measure_block<stride, Block::Last>(row, k0 + k, m, bin_of + k);
    part.R += total_of(m.even.sum) + total_of(m.odd.sum);
    part.S += total_of(m.even.squares) + total_of(m.odd.squares);
    __m512i count[counted_bins];
    count_bins(bin_of, registers, count, [&](int, std::uint8_t bin) { ++part.histogram[bin]; });
    add_totals(count, part.histogram);
  }
}

// ---- up to 32 vectors at distance 1 or 2, term by term

struct Side {
  const double* at;
  const double* next;  // the vectors that come next
  Index inner_stride, terms;
  bool kept;                 // in the slab, as far as it goes
  __mmask8 low[4], high[4];  // of what is read for each eight vectors
};

template <int stride>
Side side_of(const double* at, Index inner_stride, Index vectors, Index terms) {
  Side side{at, at + stride * side_vectors, inner_stride, terms, false, {}, {}};
  for (Index group = 0; group < 4; ++group) {
    const Index entries = stride * (vectors - 8 * group) - (stride - 1);  // up to the last vector's own
    side.low[group] = first_lanes(entries);
    side.high[group] = first_lanes(entries - 8);
  }
  return side;
}

template <int stride>
inline __attribute__((always_inline)) __m512d load_vectors(const Side& side, Index k, Index group) {
  const double* const at = side.at + k * side.inner_stride + 8 * stride * group;
  const __m512d low = _mm512_maskz_loadu_pd(side.low[group], at);
  if constexpr (stride == 1) return low;
  return _mm512_permutex2var_pd(low, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), _mm512_maskz_loadu_pd(side.high[group], at + 8));
}

// Interleaved real and imaginary parts of up to 32 vectors -> terms of 32 real parts from slab on, of imaginary ones pair_terms further on;
// zeros for vectors that do not exist.
void keep_pairs(const double* at, Index inner_stride, Index vectors, Index terms, double* slab) {
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  for (Index k = 0; k < terms; ++k) {
    const double* const here = at + k * inner_stride;
    double* const kept = slab + k * side_vectors;
#pragma GCC unroll 4
    for (Index group = 0; group < 4; ++group) {
      const double* const from = here + 16 * group;
      _mm_prefetch(reinterpret_cast<const char*>(from + terms_ahead * inner_stride), _MM_HINT_T0);
      _mm_prefetch(reinterpret_cast<const char*>(from + terms_ahead * inner_stride + 8), _MM_HINT_T0);
      const Index words = 2 * (vectors - 8 * group);
      const __m512d low = _mm512_maskz_loadu_pd(first_lanes(words), from), high = _mm512_maskz_loadu_pd(first_lanes(words - 8), from + 8);
      _mm512_store_pd(kept + 8 * group, _mm512_permutex2var_pd(low, even, high));
      _mm512_store_pd(kept + pair_terms * side_vectors + 8 * group, _mm512_permutex2var_pd(low, odd, high));
    }
  }
}

template <int stride>
void look_at_side(const Side side, int part, Scratch& s) {  // by value: stores to the slab cannot change it
  Extent extent[4];
  for (Index k = 0; k < side.terms; ++k) {
    const double* const ahead = side.at + (k + terms_ahead) * side.inner_stride;
    double* const kept = s.slab + (k < slab_terms ? k : slab_terms - 1) * side_vectors;
#pragma GCC unroll 4
    for (Index group = 0; group < 4; ++group) {
      _mm_prefetch(reinterpret_cast<const char*>(ahead + 8 * stride * group), _MM_HINT_T0);
      const __m512d x = load_vectors<stride>(side, k, group);
      extent[group].include(x);
      if (side.kept) _mm512_store_pd(kept + 8 * group, x);
    }
  }
#pragma GCC unroll 4  // else the extents stay in memory, above too
  for (Index group = 0; group < 4; ++group) {
    alignas(64) std::uint64_t top[8];
    alignas(64) double least[8], lowest_bit[8];
    _mm512_store_si512(top, extent[group].top);
    _mm512_store_pd(least, extent[group].least);
    _mm512_store_pd(lowest_bit, extent[group].lowest_bit);
    for (Index lane = 0; lane < 8; ++lane) {
      Part& p = s.parts[8 * group + lane][part];
      p.top = top[lane];
      p.least = least[lane];
      p.lowest_bit = lowest_bit[lane];
    }
  }
}

// Which vector's bin stands at a place: those of two terms are packed from 32 bits to 8.
inline Index vector_at(int place) {
  return 4 * (place / 16) + place % 4 + 16 * (place / 4 % 2);
}

// Places p and p + 8 of sixteen belong to one vector; what is left of them in 32 bits, in the same order.
void add_counts(const __m512i* count, Scratch& s) {
  const __m512i zero = _mm512_setzero_si512();
#pragma GCC unroll 16
  for (int bin = 0; bin < counted_bins; ++bin) {
    const __m512i sums = _mm512_add_epi16(_mm512_unpacklo_epi8(count[bin], zero), _mm512_unpackhi_epi8(count[bin], zero));
    __m512i* const to = reinterpret_cast<__m512i*>(s.counts[bin]);
    to[0] = _mm512_add_epi32(to[0], _mm512_cvtepu16_epi32(_mm512_castsi512_si256(sums)));
    to[1] = _mm512_add_epi32(to[1], _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(sums, 1)));
  }
}

void add_counts_to_histograms(int part, Scratch& s) {
  for (int place = 0; place < side_vectors; ++place) {
    std::uint32_t* const histogram = s.parts[vector_at(place / 8 * 16 + place % 8)][part].histogram;
    for (int bin = 0; bin < counted_bins; ++bin) histogram[bin] += s.counts[bin][place];
  }
}

void add_sizes(const Sizes* sizes, int part, Scratch& s) {
#pragma GCC unroll 4
  for (Index group = 0; group < 4; ++group) {
    alignas(64) double sum[8], squares[8];
    _mm512_store_pd(sum, sizes[group].sum);
    _mm512_store_pd(squares, sizes[group].squares);
    for (Index lane = 0; lane < 8; ++lane) {
      Part& p = s.parts[8 * group + lane][part];
      p.R += static_cast<std::uint64_t>(sum[lane]);
      p.S += static_cast<std::uint64_t>(squares[lane]);
    }
  }
}

template <int stride>
inline __attribute__((always_inline)) __m512d load_again(const Side& side, Index k, Index group, const Scratch& s) {
  // The last place of the slab holds whichever term came last.
  if (side.kept && (k < slab_terms - 1 || side.terms <= slab_terms)) return _mm512_load_pd(s.slab + k * side_vectors + 8 * group);
  return load_vectors<stride>(side, k, group);
}

template <int stride>
void measure_side(const Side side, const Measure* measures, int part, Scratch& s) {
  __m512d factor[4];
  __m512i first_bin[2];
  alignas(64) double factors[side_vectors];
  alignas(64) std::int32_t bin_numbers[side_vectors];
  for (Index v = 0; v < side_vectors; ++v) factors[v] = measures[v].factor, bin_numbers[v] = measures[v].first_bin;
  for (Index group = 0; group < 4; ++group) factor[group] = _mm512_load_pd(factors + 8 * group);
  for (Index half = 0; half < 2; ++half) first_bin[half] = _mm512_load_si512(bin_numbers + 16 * half);
  __builtin_memset(s.counts, 0, sizeof s.counts);
  for (Index k0 = 0; k0 < side.terms; k0 += side_terms) {
    const Index terms = side.terms - k0 < side_terms ? side.terms - k0 : side_terms, registers = (terms + 1) / 2;
    Sizes sizes[4];
    for (Index i = 0; i < registers; ++i) {
      __m512i packed[2];
#pragma GCC unroll 2
      for (Index two = 0; two < 2; ++two) {
        const Index k = k0 + 2 * i + two;
        const double* const next = side.next + k * side.inner_stride;  // fetched meanwhile, as for rows
#pragma GCC unroll 8
        for (Index line = 0; line < 4 * stride; ++line) _mm_prefetch(reinterpret_cast<const char*>(next + 8 * line), _MM_HINT_T1);
        __m512i a[4];
#pragma GCC unroll 4
        for (Index group = 0; group < 4; ++group) {
          a[group] = k < side.terms ? magnitude_of(load_again<stride>(side, k, group, s)) : _mm512_setzero_si512();
          sizes[group].include(a[group], factor[group]);
        }
        packed[two] = _mm512_packus_epi32(_mm512_sub_epi32(first_bin[0], levels_of(a[0], a[1])),
                                          _mm512_sub_epi32(first_bin[1], levels_of(a[2], a[3])));
      }
      _mm512_store_si512(s.bin_of + 64 * i, _mm512_packus_epi16(packed[0], packed[1]));
    }
    add_sizes(sizes, part, s);
    __m512i count[counted_bins];
    count_bins(s.bin_of, registers, count, [&](int place, std::uint8_t bin) { ++s.parts[vector_at(place)][part].histogram[bin]; });
    add_counts(count, s);
  }
  add_counts_to_histograms(part, s);
}

}  // namespace
}  // namespace ab::device::native
