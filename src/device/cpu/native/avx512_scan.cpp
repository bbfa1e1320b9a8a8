// SPDX-License-Identifier: MIT
// Records and profiles of vectors on AVX-512 (docs/numerics.md 5; the common kernel is kernels/scan.k).
// Two passes over the vectors, exponents first, then sizes and bins, with eight terms of one vector in a register where terms are
// neighbours, else eight vectors. Most entries lie in the sixteen uppermost bins, which are counted 64 entries at a time; the others
// go one by one. Vectors with subnormals, infinities or NaNs, tiny ones, and second looks, are left to the common kernel.
#include <immintrin.h>

#include "device/cpu/native/scan_loops.hpp"

namespace ab::device::native {
namespace {

constexpr int no_low = AB_NO_LOW, no_top = AB_NO_TOP;

struct Scan {
  void* const* buffers;
  const kernels::HostKernel* common;
  const text::scan_params* p;
};

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

int exponent_of(std::uint64_t word) {
  return static_cast<int>(word >> 52) - 1023;
}

// The exponent of a power of two, subnormal ones too.
int exponent_of_power(double power) {
  const auto word = __builtin_bit_cast(std::uint64_t, power);
  return word >> 52 != 0 ? exponent_of(word) : -1074 + bits_of(word) - 1;
}

std::uint64_t larger(std::uint64_t a, std::uint64_t b) {
  return a > b ? a : b;
}

text::vector_record record_of(const Part* of_part, int parts) {
  text::vector_record r{};
  const Part *re = &of_part[0], *im = &of_part[parts - 1];
  const std::uint64_t top = larger(re->top, im->top);
  r.low_re = re->top != 0 ? exponent_of_power(re->lowest_bit) : no_low;
  r.top_re = re->top != 0 ? exponent_of(re->top) : no_top;
  r.low_im = parts == 2 && im->top != 0 ? exponent_of_power(im->lowest_bit) : no_low;
  r.top_im = parts == 2 && im->top != 0 ? exponent_of(im->top) : no_top;
  if (top == 0) {
    r.flags = AB_RECORD_ZERO;
    return r;
  }
  const double least = re->least < im->least ? re->least : im->least;
  r.E = exponent_of(top);
  r.nmin = exponent_of(__builtin_bit_cast(std::uint64_t, least));
  r.R_re = re->R;
  r.R_im = parts == 2 ? im->R : 0;
  r.S = parts == 2 ? re->S + im->S : re->S;
  r.L = bits_of(r.S);
  return r;
}

// The sums of each lane and all lanes before it.
__m512i running_sums(__m512i x) {
  const __m512i zero = _mm512_setzero_si512();
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 15));
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 14));
  x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 12));
  return _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 8));
}

// Bins of the vector's own E -> of G, summed up, the least of all vectors so far.
void lower_profile(const std::uint32_t* histogram, int L, std::uint32_t* profile) {
  constexpr int lanes = 16, most_shift = 48;  // L is at most 63
  alignas(64) std::uint32_t counts[most_shift + bins] = {};
  __m512i before = _mm512_setzero_si512();
  for (int bin = 0; bin < bins; bin += lanes) {
    const __m512i sums = _mm512_add_epi32(running_sums(_mm512_loadu_si512(histogram + bin)), before);
    _mm512_store_si512(counts + most_shift + bin, sums);
    before = _mm512_permutexvar_epi32(_mm512_set1_epi32(lanes - 1), sums);
  }
  const std::uint32_t* const shifted = counts + most_shift - 2 * ((L + 1) / 2 - 14);
  for (int bin = 0; bin < bins; bin += lanes) {
    const __m512i least = _mm512_min_epu32(_mm512_loadu_si512(profile + bin), _mm512_loadu_si512(shifted + bin));
    _mm512_storeu_si512(profile + bin, least);
  }
}

// What the second pass does with a vector after the first.
struct Verdict {
  bool common = false;
  Measure measure;
};

Verdict judge(const Part* of_part, int parts) {
  Verdict out;
  const Part &re = of_part[0], &im = of_part[parts - 1];
  const std::uint64_t top = larger(re.top, im.top);
  if (top == 0) return out;
  const int field = static_cast<int>(top >> 52);
  const double least = re.least < im.least ? re.least : im.least;
  out.common = top >= infinity || field < least_top_field || least < 0x1p-1022;
  if (out.common) return out;
  out.measure.factor = __builtin_bit_cast(double, static_cast<std::uint64_t>(14 + 2046 - field) << 52);  // 2^(14 - E)
  out.measure.first_bin = 2 * field + 1;
  return out;
}

struct Verdicts {
  Verdict of[side_vectors];
};

// Vectors from `first` on, at most 32.
struct Vectors {
  Source source[2];
  Index first, count, inner;
};

Row row_of(const Vectors& vectors, Index v, int part) {
  const Source& source = vectors.source[part];
  return {source.at + (vectors.first + v) * source.vector_stride, vectors.inner, source.vector_stride};
}

// Vector by vector: the second pass finds the terms in the first-level cache.
template <int stride>
Verdicts look_and_measure_rows(const Vectors& vectors, int parts, Scratch& s) {
  Verdicts verdicts;
  for (Index v = 0; v < vectors.count; ++v) {
    for (int part = 0; part < parts; ++part) look_at_row<stride>(row_of(vectors, v, part), s.parts[v][part]);
    const Verdict verdict = verdicts.of[v] = judge(s.parts[v], parts);
    if (verdict.measure.factor == 0) continue;
    for (int part = 0; part < parts; ++part) measure_row<stride>(row_of(vectors, v, part), verdict.measure, s.parts[v][part], s.bin_of);
  }
  return verdicts;
}

template <int stride>
Verdicts look_and_measure_sides(const Side* sides, Index vectors, int parts, Scratch& s) {
  Verdicts verdicts;
  Measure measures[side_vectors];
  for (int part = 0; part < parts; ++part) look_at_side<stride>(sides[part], part, s);
  for (Index v = 0; v < vectors; ++v) {
    verdicts.of[v] = judge(s.parts[v], parts);
    measures[v] = verdicts.of[v].measure;
  }
  for (int part = 0; part < parts; ++part) measure_side<stride>(sides[part], measures, part, s);
  return verdicts;
}

template <int stride>
Verdicts look_and_measure_side(const Vectors& vectors, int parts, Scratch& s) {
  Side sides[2];
  for (int part = 0; part < parts; ++part) {
    const Source& source = vectors.source[part];
    sides[part] = side_of<stride>(source.at + vectors.first * stride, source.inner_stride, vectors.count, vectors.inner);
    sides[part].kept = parts == 1;
  }
  return look_and_measure_sides<stride>(sides, vectors.count, parts, s);
}

bool are_pairs(const Vectors& vectors, int parts) {
  const Source &re = vectors.source[0], &im = vectors.source[1];
  return parts == 2 && re.vector_stride == 2 && im.at == re.at + 1 && im.vector_stride == 2 && im.inner_stride == re.inner_stride;
}

// Real and imaginary parts that lie in the same lines are read once, and looked at where they were left.
Verdicts look_and_measure_pairs(const Vectors& vectors, Scratch& s) {
  const Source& source = vectors.source[0];
  keep_pairs(source.at + 2 * vectors.first, source.inner_stride, vectors.count, vectors.inner, s.slab);
  const Side sides[2] = {side_of<1>(s.slab, side_vectors, side_vectors, vectors.inner),
                         side_of<1>(s.slab + pair_terms * side_vectors, side_vectors, side_vectors, vectors.inner)};
  return look_and_measure_sides<1>(sides, vectors.count, 2, s);
}

Verdicts look_and_measure(const Vectors& vectors, int parts, Scratch& s) {
  for (auto& of_vector : s.parts) of_vector[0] = of_vector[1] = Part{};
  const Source& source = vectors.source[0];
  if (source.inner_stride == 1) return look_and_measure_rows<1>(vectors, parts, s);
  if (source.inner_stride == 2) return look_and_measure_rows<2>(vectors, parts, s);
  if (source.vector_stride == 1) return look_and_measure_side<1>(vectors, parts, s);
  if (are_pairs(vectors, parts) && vectors.inner <= pair_terms) return look_and_measure_pairs(vectors, s);
  return look_and_measure_side<2>(vectors, parts, s);
}

void scan_vectors(const Scan& scan, const Vectors& vectors, Scratch& s, std::byte* common_scratch) {
  const int parts = static_cast<int>(scan.p->v.parts);
  const Verdicts verdicts = look_and_measure(vectors, parts, s);
  auto* const records = static_cast<text::vector_record*>(scan.buffers[3]);
  for (Index v = 0; v < vectors.count; ++v) {
    if (verdicts.of[v].common) {
      if (v % 4 == 0 || !verdicts.of[v - 1].common) leave_to_common(scan, vectors.first + v, common_scratch);
      continue;
    }
    const text::vector_record r = record_of(s.parts[v], parts);
    records[static_cast<Index>(scan.p->first_record) + vectors.first + v] = r;
    if (r.flags != 0) continue;
    for (int part = 0; part < parts; ++part) lower_profile(s.parts[v][part].histogram, r.L, s.profile + part * bins);
  }
}

void scan_items(const void* state, std::byte* scratch, Index first, Index last) {
  const Scan& scan = *static_cast<const Scan*>(state);
  const text::vector_view& v = scan.p->v;
  Scratch& s = *reinterpret_cast<Scratch*>(scratch + kernels::scratch_bytes);
  for (std::uint32_t& count : s.profile) count = ~std::uint32_t{0};
  for (Index item = first; item < last; ++item) {
    const Index begin = item * side_vectors, left = static_cast<Index>(v.vectors) - begin;
    const Vectors vectors{{source_of(v, scan.buffers[0], v.offset_re), source_of(v, scan.buffers[1], v.offset_im)},
                          begin,
                          left < side_vectors ? left : side_vectors,
                          static_cast<Index>(v.inner)};
    scan_vectors(scan, vectors, s, scratch);
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
  if (p->use_inner != 0 || (p->v.inner_stride > 2 && p->v.vector_stride > 2)) {
    launch.sharer.share((vectors + 3) / 4, 8 * work, &common_groups, &scan);
  } else {
    launch.sharer.share((vectors + side_vectors - 1) / side_vectors, work, &scan_items, &scan);
  }
}

}  // namespace ab::device::native
