// SPDX-License-Identifier: MIT
// Records and profiles of vectors on AVX-512 (docs/numerics.md 5; the common kernel is kernels/scan.k).
// Sixteen vectors at a time, two passes: exponents, then sizes and bins. Most entries lie in the sixteen uppermost bins, which are
// counted 64 entries at a time; the others go one by one. Vectors with subnormals, infinities or NaNs, and second looks, are left
// to the common kernel.
#include <immintrin.h>

#include "device/cpu/native/load_tile.hpp"

namespace ab::device::native {
namespace {

constexpr int bins = 96, counted_bins = 16;
constexpr Index strip_terms = 4096;  // 255 counts of 64 entries fit a byte, 2^30 4096 fits 53 bits
constexpr std::uint64_t magnitude_mask = ~(std::uint64_t{1} << 63), infinity = std::uint64_t{0x7FF} << 52;
constexpr int no_low = AB_NO_LOW, no_top = AB_NO_TOP;

struct Scan {
  void* const* buffers;
  const kernels::HostKernel* common;
  const text::scan_params* p;
};

// What the first pass finds of a part; exponents still carry the bias of 1023.
struct Extent {
  std::uint64_t top = 0, least = ~std::uint64_t{0};  // magnitudes as words; zeros do not count
  std::int64_t low = INT64_MAX;                      // field + trailing zeros of the significand
};

struct Part {
  Extent extent;
  std::uint64_t R = 0, S = 0;
  std::uint32_t histogram[bins];
};

struct Scratch {
  double slab[tile_vectors * strip_terms];
  double buffer[tile_vectors * block_terms];
  std::uint8_t bin_of[strip_terms];
  std::uint32_t profile[2 * bins];
  Part parts[tile_vectors][2];
};
static_assert(sizeof(Scratch) + 64 <= native_scratch_bytes - kernels::scratch_bytes);

void look_at_extent(const double* x, Index terms, Extent& extent) {
  const __m512i magnitude = _mm512_set1_epi64(static_cast<long long>(magnitude_mask));
  const __m512i fraction = _mm512_set1_epi64((1ll << 52) - 1), leading = _mm512_set1_epi64(1ll << 52);
  const __m512i highest = _mm512_set1_epi64(63);
  __m512i top = _mm512_setzero_si512(), least = _mm512_set1_epi64(-1), low = _mm512_set1_epi64(INT64_MAX);
  for (Index k = 0; k < terms; k += 8) {
    const __m512i word = _mm512_castpd_si512(_mm512_maskz_loadu_pd(first_lanes(terms - k), x + k));
    const __m512i a = _mm512_and_si512(word, magnitude);
    const __mmask8 nonzero = _mm512_test_epi64_mask(a, a);
    top = _mm512_max_epu64(top, a);
    least = _mm512_mask_min_epu64(least, nonzero, least, a);
    const __m512i m = _mm512_or_si512(_mm512_and_si512(a, fraction), leading);
    const __m512i lowest_bit = _mm512_and_si512(m, _mm512_sub_epi64(_mm512_setzero_si512(), m));
    const __m512i zeros = _mm512_sub_epi64(highest, _mm512_lzcnt_epi64(lowest_bit));
    low = _mm512_mask_min_epi64(low, nonzero, low, _mm512_add_epi64(_mm512_srli_epi64(a, 52), zeros));
  }
  const std::uint64_t top_here = _mm512_reduce_max_epu64(top), least_here = _mm512_reduce_min_epu64(least);
  const std::int64_t low_here = _mm512_reduce_min_epi64(low);
  if (top_here > extent.top) extent.top = top_here;
  if (least_here < extent.least) extent.least = least_here;
  if (low_here < extent.low) extent.low = low_here;
}

// q = ceil(|x| 2^(14 - E)) and its square, summed; the bin of each entry, 255 for zeros. `top_field`: E + 1023.
void measure(const double* x, Index terms, int top_field, Part& part, std::uint8_t* bin_of) {
  const __m512i magnitude = _mm512_set1_epi64(static_cast<long long>(magnitude_mask));
  const __m512i first_bin = _mm512_set1_epi64(2 * top_field + 1), none = _mm512_set1_epi64(255);
  const __m512d shift = _mm512_set1_pd(14 + 1023 - top_field);
  constexpr int up = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;
  __m512d sizes = _mm512_setzero_pd(), squares = _mm512_setzero_pd();
  for (Index k = 0; k < terms; k += 8) {
    const __m512i word = _mm512_castpd_si512(_mm512_maskz_loadu_pd(first_lanes(terms - k), x + k));
    const __m512i a = _mm512_and_si512(word, magnitude);
    const __mmask8 zero = _mm512_testn_epi64_mask(a, a);
    const __m512d q = _mm512_roundscale_pd(_mm512_scalef_round_pd(_mm512_castsi512_pd(a), shift, up), 8 | _MM_FROUND_TO_POS_INF);
    sizes = _mm512_add_pd(sizes, q);
    squares = _mm512_fmadd_pd(q, q, squares);
    const __m512i bin = _mm512_mask_mov_epi64(_mm512_sub_epi64(first_bin, _mm512_srli_epi64(a, 51)), zero, none);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(bin_of + k), _mm512_cvtusepi64_epi8(bin));
  }
  part.R += static_cast<std::uint64_t>(_mm512_reduce_add_pd(sizes));
  part.S += static_cast<std::uint64_t>(_mm512_reduce_add_pd(squares));
}

// bin_of holds a multiple of 64 entries.
void count_bins(const std::uint8_t* bin_of, Index terms, std::uint32_t* histogram) {
  __m512i count[counted_bins];
#pragma GCC unroll 16
  for (int bin = 0; bin < counted_bins; ++bin) count[bin] = _mm512_setzero_si512();
  const __m512i one = _mm512_set1_epi8(1), first_uncounted = _mm512_set1_epi8(counted_bins), end = _mm512_set1_epi8(bins);
  for (Index k = 0; k < terms; k += 64) {
    const __m512i here = _mm512_loadu_si512(bin_of + k);
#pragma GCC unroll 16
    for (int bin = 0; bin < counted_bins; ++bin) {
      count[bin] =
          _mm512_mask_add_epi8(count[bin], _mm512_cmpeq_epi8_mask(here, _mm512_set1_epi8(static_cast<char>(bin))), count[bin], one);
    }
    std::uint64_t rest = _mm512_cmpge_epu8_mask(here, first_uncounted) & _mm512_cmplt_epu8_mask(here, end);
    for (; rest != 0; rest &= rest - 1) ++histogram[bin_of[k + __builtin_ctzll(rest)]];
  }
#pragma GCC unroll 16
  for (int bin = 0; bin < counted_bins; ++bin) {
    const __m512i sums = _mm512_sad_epu8(count[bin], _mm512_setzero_si512());
    histogram[bin] += static_cast<std::uint32_t>(_mm512_reduce_add_epi64(sums));
  }
}

// The vectors of one tile: rows of terms, in place or in the slab.
struct Rows {
  Source source[2];
  Index first, count, inner;
};

void load_strip(const Rows& rows, int part, Index k0, Index terms, Scratch& s) {
  for (Index k = 0; k < terms; k += block_terms) {
    const Index here = terms - k < block_terms ? terms - k : block_terms;
    const LoadedTile tile = load_tile<Order::TermsFastest>(rows.source[part], {rows.first, rows.count, k0 + k, here}, s.buffer);
    for (Index v = 0; v < rows.count; ++v) {
      for (Index i = 0; i < block_terms; i += 8) {
        _mm512_storeu_pd(s.slab + v * strip_terms + k + i, _mm512_loadu_pd(tile.at + v * tile.stride + i));
      }
    }
  }
}

// Calls use(vector, part, entries, terms) for the rows of all strips.
template <class Use>
void for_each_row(const Rows& rows, int parts, Scratch& s, Use use) {
  for (int part = 0; part < parts; ++part) {
    const Source& source = rows.source[part];
    for (Index k0 = 0; k0 < rows.inner; k0 += strip_terms) {
      const Index terms = rows.inner - k0 < strip_terms ? rows.inner - k0 : strip_terms;
      const bool in_place = source.inner_stride == 1;
      if (!in_place) load_strip(rows, part, k0, terms, s);
      for (Index v = 0; v < rows.count; ++v) {
        const double* const row = in_place ? source.at + (rows.first + v) * source.vector_stride + k0 : s.slab + v * strip_terms;
        use(v, part, row, terms);
      }
    }
  }
}

std::int32_t bits_of(std::uint64_t x) {
  return x == 0 ? 0 : 64 - __builtin_clzll(x);
}

// For the group of four vectors that `vector` is in.
void leave_to_common(const Scan& scan, Index vector, std::byte* scratch) {
  const auto group = static_cast<kernels::uint>(vector / 4);
  for (const kernels::HostKernel* row = scan.common; row->name != nullptr; ++row) {
    if (__builtin_strcmp(row->name, "scan") == 0) row->run_group({scan.buffers, scratch, group % AB_FOLD, group / AB_FOLD, 0});
  }
}

text::vector_record record_of(const Part* of_part, int parts, int top_field, std::uint64_t least) {
  text::vector_record r{};
  r.S = of_part[0].S + (parts == 2 ? of_part[1].S : 0);
  r.R_re = of_part[0].R;
  r.R_im = parts == 2 ? of_part[1].R : 0;
  r.L = bits_of(r.S);
  r.flags = top_field == 0 ? AB_RECORD_ZERO : 0u;
  r.E = top_field == 0 ? 0 : top_field - 1023;
  r.nmin = top_field == 0 ? 0 : static_cast<int>(least >> 52) - 1023;
  const auto low = [&](int part) {
    return part < parts && of_part[part].extent.top != 0 ? static_cast<int>(of_part[part].extent.low) - 1075 : no_low;
  };
  const auto top = [&](int part) {
    return part < parts && of_part[part].extent.top != 0 ? static_cast<int>(of_part[part].extent.top >> 52) - 1023 : no_top;
  };
  r.low_re = low(0);
  r.low_im = low(1);
  r.top_re = top(0);
  r.top_im = top(1);
  return r;
}

// Bins of the vector's own E -> of G, summed up, the least of all vectors so far.
void lower_profile(const std::uint32_t* histogram, int L, std::uint32_t* profile) {
  const int shift = 2 * ((L + 1) / 2 - 14);
  std::uint32_t count = 0;
  for (int bin = 0; bin < bins; ++bin) {
    if (bin >= shift) count += histogram[bin - shift];
    if (count < profile[bin]) profile[bin] = count;
  }
}

void scan_tile(const Scan& scan, const Rows& rows, Scratch& s, std::byte* common_scratch) {
  const int parts = static_cast<int>(scan.p->v.parts);
  for (Index v = 0; v < rows.count; ++v) s.parts[v][0] = s.parts[v][1] = Part{};
  for_each_row(rows, parts, s, [&](Index v, int part, const double* x, Index terms) { look_at_extent(x, terms, s.parts[v][part].extent); });
  int top_field[tile_vectors];
  std::uint64_t least[tile_vectors];
  bool common[tile_vectors];
  for (Index v = 0; v < rows.count; ++v) {
    const Extent &re = s.parts[v][0].extent, &im = s.parts[v][1].extent;
    const std::uint64_t top = re.top > im.top ? re.top : im.top;
    least[v] = re.least < im.least ? re.least : im.least;
    common[v] = top >= infinity || (top != 0 && least[v] < (std::uint64_t{1} << 52));
    top_field[v] = static_cast<int>(top >> 52);
  }
  for_each_row(rows, parts, s, [&](Index v, int part, const double* x, Index terms) {
    if (common[v] || top_field[v] == 0) return;
    measure(x, terms, top_field[v], s.parts[v][part], s.bin_of);
    for (Index k = terms; k % block_terms != 0; ++k) s.bin_of[k] = 255;
    count_bins(s.bin_of, terms, s.parts[v][part].histogram);
  });
  auto* const records = static_cast<text::vector_record*>(scan.buffers[3]);
  for (Index v = 0; v < rows.count; ++v) {
    if (common[v]) {
      if (v == 0 || v % 4 == 0 || !common[v - 1]) leave_to_common(scan, rows.first + v, common_scratch);
      continue;
    }
    const text::vector_record r = record_of(s.parts[v], parts, top_field[v], least[v]);
    records[scan.p->first_record + rows.first + v] = r;
    if (top_field[v] == 0) continue;
    for (int part = 0; part < parts; ++part) lower_profile(s.parts[v][part].histogram, r.L, s.profile + part * bins);
  }
}

void scan_tiles(const void* state, std::byte* scratch, Index first, Index last) {
  const Scan& scan = *static_cast<const Scan*>(state);
  const text::vector_view& v = scan.p->v;
  Scratch& s = *reinterpret_cast<Scratch*>(scratch + kernels::scratch_bytes);
  for (std::uint32_t& count : s.profile) count = ~std::uint32_t{0};
  for (Index tile = first; tile < last; ++tile) {
    const Index begin = tile * tile_vectors, left = static_cast<Index>(v.vectors) - begin;
    const Rows rows{{source_of(v, scan.buffers[0], v.offset_re), source_of(v, scan.buffers[1], v.offset_im)},
                    begin,
                    left < tile_vectors ? left : tile_vectors,
                    static_cast<Index>(v.inner)};
    scan_tile(scan, rows, s, scratch);
  }
  auto* const profile = static_cast<kernels::uint*>(scan.buffers[4]);
  for (kernels::uint i = 0; i < v.parts * bins; ++i) kernels::lower_to(profile[i], s.profile[i]);
}

void common_groups(const void* state, std::byte* scratch, Index first, Index last) {
  for (Index group = first; group < last; ++group) leave_to_common(*static_cast<const Scan*>(state), 4 * group, scratch);
}

}  // namespace

void scan_avx512(const Launch& launch) {
  const auto* const p = static_cast<const text::scan_params*>(launch.buffers[5]);
  const Scan scan{launch.buffers, launch.common, p};
  const Index vectors = p->v.vectors, work = vectors * static_cast<Index>(p->v.inner) * static_cast<Index>(p->v.parts);
  if (p->use_inner != 0) {
    launch.sharer.share((vectors + 3) / 4, 8 * work, &common_groups, &scan);
  } else {
    launch.sharer.share((vectors + tile_vectors - 1) / tile_vectors, work, &scan_tiles, &scan);
  }
}

}  // namespace ab::device::native
