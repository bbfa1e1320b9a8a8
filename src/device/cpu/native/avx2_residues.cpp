// SPDX-License-Identifier: MIT
// FP64 words -> integers -> residue planes in the ordinary layout (docs/numerics.md 6.2, 7.2, 11.2; the common kernel is
// kernels/residues.k). Up to 15 moduli the integers are below 2^59 and fit a register's lane; with more the common kernel does it.
#include <immintrin.h>

#include <cstdint>

#include "device/cpu/native/avx2.hpp"
#include "device/cpu/native/constants.hpp"
#include "device/cpu/native/shifts.hpp"

namespace ab::device::native {
namespace {

constexpr Index tile_vectors = 8, tile_terms = 64;

/// x mod m for x = l0 + l1 2^16 + l2 2^32 + l3 2^48 with signed limbs: l0 + l1 (2^16 mod m) + ..., then a division in FP32.
struct Weights {
  std::int32_t low, high;  // of l0, l1 and of l2, l3, in halves; symmetric
  float m, reciprocal;
};

struct Residues {
  const text::residues_params* p;
  const double* source[2];
  const std::int32_t* inner;
  const std::int32_t* shifts;
  std::int8_t* planes;
  Weights weights[fast_moduli];
  Index tiles;
  Index out_parts;
};

struct Scratch {
  double words[2][tile_vectors][tile_terms];
  std::int64_t kappa[tile_terms];
  std::int64_t integers[3][tile_terms];
};
static_assert(sizeof(Scratch) <= native_scratch_bytes);

// What exists of a tile; inner terms count from the view's first.
struct Range {
  Index vector, vectors, term, terms;
};

void load_tile(const Residues& r, const Range& range, int part, Scratch& s) {
  const text::vector_view& v = r.p->v;
  const double* const from =
      r.source[part] + range.vector * v.vector_stride + (static_cast<Index>(r.p->inner0) + range.term) * v.inner_stride;
  if (range.vectors < tile_vectors || range.terms < tile_terms) __builtin_memset(s.words[part], 0, sizeof s.words[part]);
  if (v.inner_stride == 1) {
    for (Index i = 0; i < range.vectors; ++i) {
      __builtin_memcpy(s.words[part][i], from + i * v.vector_stride, static_cast<std::size_t>(range.terms) * sizeof(double));
    }
    return;
  }
  for (Index k = 0; k < range.terms; ++k) {
    for (Index i = 0; i < range.vectors; ++i) s.words[part][i][k] = from[i * v.vector_stride + k * v.inner_stride];
  }
}

// rint(x 2^shift), ties to even: exact for every finite x whose result fits.
inline __m256i integer_of(__m256i word, __m256i shift, __m256i flipped) {
  const __m256i one = _mm256_set1_epi64x(1), fraction_mask = _mm256_set1_epi64x((1ll << 52) - 1);
  const __m256i field = _mm256_and_si256(_mm256_srli_epi64(word, 52), _mm256_set1_epi64x(0x7FF));
  const __m256i normal = _mm256_cmpgt_epi64(field, _mm256_setzero_si256());
  const __m256i implicit = _mm256_and_si256(normal, _mm256_set1_epi64x(1ll << 52));
  const __m256i significand = _mm256_or_si256(_mm256_and_si256(word, fraction_mask), implicit);
  const __m256i exponent = _mm256_add_epi64(_mm256_add_epi64(field, normal), _mm256_set1_epi64x(1 - 1075));
  const __m256i left = _mm256_add_epi64(exponent, shift), right = _mm256_sub_epi64(_mm256_setzero_si256(), left);
  // Counts beyond 63 and negative ones give 0.
  const __m256i odd = _mm256_and_si256(_mm256_srlv_epi64(significand, right), one);
  const __m256i below_half = _mm256_sub_epi64(_mm256_sllv_epi64(one, _mm256_sub_epi64(right, one)), one);
  const __m256i rounded = _mm256_srlv_epi64(_mm256_add_epi64(_mm256_add_epi64(significand, below_half), odd), right);
  const __m256i goes_right = _mm256_cmpgt_epi64(right, _mm256_setzero_si256());
  const __m256i magnitude = _mm256_blendv_epi8(_mm256_sllv_epi64(significand, left), rounded, goes_right);
  const __m256i negative = _mm256_xor_si256(_mm256_cmpgt_epi64(_mm256_setzero_si256(), word), flipped);
  return _mm256_sub_epi64(_mm256_xor_si256(magnitude, negative), negative);
}

void make_integers(const Residues& r, const Range& range, Index i, Scratch& s) {
  const __m256i shift = _mm256_set1_epi64x(r.shifts[range.vector + i]);
  for (int part = 0; part < static_cast<int>(r.p->v.parts); ++part) {
    const __m256i flipped = _mm256_set1_epi64x(-static_cast<long long>(r.p->v.negated >> part & 1u));
    for (Index k = 0; k < tile_terms; k += 4) {
      const __m256i word = _mm256_castpd_si256(_mm256_load_pd(&s.words[part][i][k]));
      const __m256i kappa = _mm256_load_si256(reinterpret_cast<const __m256i*>(s.kappa + k));
      _mm256_store_si256(reinterpret_cast<__m256i*>(s.integers[part] + k), integer_of(word, _mm256_add_epi64(shift, kappa), flipped));
    }
  }
  if (r.p->v.parts != 2) return;
  for (Index k = 0; k < tile_terms; ++k) s.integers[2][k] = s.integers[0][k] + s.integers[1][k];
}

// 32 integers as signed 16-bit limbs: lane i of register g is term 4 g + i, or 16 + 4 g + i - 4 in the upper half.
struct Limbs {
  __m256i low[4], high[4];
};

inline __m256i balanced_limbs(const std::int64_t* at) {
  const __m256i offset = _mm256_set1_epi64x(0x800080008000);
  const __m256i x =
      _mm256_set_m128i(_mm_load_si128(reinterpret_cast<const __m128i*>(at + 16)), _mm_load_si128(reinterpret_cast<const __m128i*>(at)));
  return _mm256_xor_si256(_mm256_add_epi64(x, offset), offset);
}

inline Limbs limbs_of(const std::int64_t* integers) {
  Limbs out;
#pragma GCC unroll 4
  for (int g = 0; g < 4; ++g) {
    const __m256 a = _mm256_castsi256_ps(balanced_limbs(integers + 4 * g)), b = _mm256_castsi256_ps(balanced_limbs(integers + 4 * g + 2));
    out.low[g] = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
    out.high[g] = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xDD));
  }
  return out;
}

// |sum| <= 32768 (1 + 128 + 128) + 2^11 128 < 2^24, exact in FP32. The first quotient is wrong by at most one, next to a tie; the
// second one rounds what is left right, because that is at least 1 / 2m from a tie (modulo 256 both signs of 128 are one byte).
inline __m256i residue_of(__m256i low, __m256i high, const Weights& w) {
  const __m256i sum =
      _mm256_add_epi32(_mm256_madd_epi16(low, _mm256_set1_epi32(w.low)), _mm256_madd_epi16(high, _mm256_set1_epi32(w.high)));
  const __m256 reciprocal = _mm256_set1_ps(w.reciprocal), m = _mm256_set1_ps(w.m);
  __m256 x = _mm256_cvtepi32_ps(sum);
#pragma GCC unroll 2
  for (int turn = 0; turn < 2; ++turn) {
    const __m256 quotient = _mm256_round_ps(_mm256_mul_ps(x, reciprocal), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    x = _mm256_fnmadd_ps(quotient, m, x);
  }
  return _mm256_cvtps_epi32(x);
}

void write_residues(const Residues& r, const std::int64_t* integers, std::int8_t* to, Index modulus_stride) {
  const __m256i byte = _mm256_set1_epi16(255);
  for (Index k = 0; k < tile_terms; k += 32) {
    const Limbs x = limbs_of(integers + k);
    for (Index l = 0; l < static_cast<Index>(r.p->moduli); ++l) {
      const Weights& w = r.weights[l];
      const __m256i a = _mm256_packs_epi32(residue_of(x.low[0], x.high[0], w), residue_of(x.low[1], x.high[1], w));
      const __m256i b = _mm256_packs_epi32(residue_of(x.low[2], x.high[2], w), residue_of(x.low[3], x.high[3], w));
      const __m256i bytes = _mm256_packus_epi16(_mm256_and_si256(a, byte), _mm256_and_si256(b, byte));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + l * modulus_stride + k), bytes);
    }
  }
}

void convert_tile(const Residues& r, const Range& range, Scratch& s) {
  const Index inner_padded = r.p->inner_padded, plane = static_cast<Index>(r.p->all_vectors) * inner_padded;
  for (Index k = 0; k < tile_terms; ++k) {
    const bool given = r.p->use_inner != 0 && k < range.terms;
    s.kappa[k] = given ? r.p->kappa_sign * r.inner[2 * (r.p->inner0 + range.term + k)] : 0;
  }
  for (int part = 0; part < static_cast<int>(r.p->v.parts); ++part) load_tile(r, range, part, s);
  for (Index i = 0; i < range.vectors; ++i) {
    make_integers(r, range, i, s);
    std::int8_t* const to = r.planes + (static_cast<Index>(r.p->first_vector) + range.vector + i) * inner_padded + range.term;
    for (Index part = 0; part < r.out_parts; ++part) write_residues(r, s.integers[part], to + part * plane, r.out_parts * plane);
  }
}

void convert_tiles(const void* state, std::byte* scratch, Index first, Index last) {
  const Residues& r = *static_cast<const Residues*>(state);
  const Index vectors = r.p->v.vectors, terms = r.p->v.inner;
  for (Index tile = first; tile < last; ++tile) {
    const Index v = tile % r.tiles * tile_vectors, k = tile / r.tiles * tile_terms;
    const Index rest = terms > k ? terms - k : 0;
    const Range range{v, vectors - v < tile_vectors ? vectors - v : tile_vectors, k, rest < tile_terms ? rest : tile_terms};
    convert_tile(r, range, *reinterpret_cast<Scratch*>(scratch));
  }
}

Weights weights_of(const text::modulus& c) {
  const auto halves = [](int low, int high) {
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(low) & 0xFFFF) | static_cast<std::uint32_t>(high) << 16);
  };
  return {halves(1, text::symmetric(c.power1, c.m)), halves(text::symmetric(c.power2, c.m), text::symmetric(c.power3, c.m)),
          static_cast<float>(c.m), 1.0f / static_cast<float>(c.m)};
}

}  // namespace

void residues_avx2(const Launch& launch) {
  const auto* const p = static_cast<const text::residues_params*>(launch.buffers[7]);
  const Index out_parts = p->v.parts == 2 ? 3 : 1;
  const Index bytes = static_cast<Index>(p->v.vectors) * static_cast<Index>(p->inner_padded) * out_parts * static_cast<Index>(p->moduli);
  if (p->moduli > fast_moduli) return run_common(launch, "residues_i8", p->groups, bytes * 8);
  Residues r{};
  r.p = p;
  r.source[0] = static_cast<const double*>(launch.buffers[0]) + p->v.offset_re;
  r.source[1] = static_cast<const double*>(launch.buffers[1]) + p->v.offset_im;
  r.inner = static_cast<const std::int32_t*>(launch.buffers[2]);
  r.shifts = make_shifts(launch, *p);
  r.planes = static_cast<std::int8_t*>(launch.buffers[5]);
  for (kernels::uint l = 0; l < p->moduli; ++l) r.weights[l] = weights_of(static_cast<const text::modulus*>(launch.buffers[4])[l]);
  r.tiles = (static_cast<Index>(p->v.vectors) + tile_vectors - 1) / tile_vectors;
  r.out_parts = out_parts;
  launch.sharer.share(r.tiles * (static_cast<Index>(p->inner_padded) / tile_terms), bytes * 2, &convert_tiles, &r);
}

}  // namespace ab::device::native
