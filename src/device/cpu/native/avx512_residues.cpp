// SPDX-License-Identifier: MIT
// FP64 words -> integers -> residues in the layout of avx512.hpp (docs/numerics.md 6.2, 7.2; the common kernel is kernels/residues.k).
// Up to 15 moduli the integers are below 2^59: their bytes are multiplied by weights of one byte and the sums are reduced by two
// 16-bit multiplications, which leaves unit * x mod m (constants.hpp). With more moduli residues are made one by one.
#include <immintrin.h>

#include "device/cpu/native/load_tile.hpp"

namespace ab::device::native {
namespace {

constexpr Index item_tiles = 8, item_blocks = 4;              // shared over threads: 128 vectors by 256 terms
constexpr std::size_t beyond_caches = std::size_t{24} << 20;  // bytes of residues from which on they are streamed to memory (chosen)

struct Residues {
  const text::residues_params* p;
  Source source[2];
  const std::int32_t* inner;
  const std::int32_t* shifts;
  const text::modulus* table;
  std::int8_t* planes;
  const Constants* constants;
  Index tiles, blocks;  // of this view
  bool left, stream;
};

struct Scratch {
  double buffer[2][tile_vectors * block_terms];
  double kappa[block_terms];
  double shift[tile_vectors];
};
static_assert(sizeof(Scratch) <= native_scratch_bytes);

Index out_parts(const Residues& r) {
  return r.p->v.parts == 2 ? 3 : 1;
}
// Bytes from a modulus' planes to the next one's.
Index modulus_stride(const Residues& r) {
  return out_parts(r) * static_cast<Index>(r.p->all_vectors) * static_cast<Index>(r.p->inner_padded);
}
Index part_stride(const Residues& r) {
  return static_cast<Index>(r.p->all_vectors) * static_cast<Index>(r.p->inner_padded);
}
std::int8_t* block_at(const Residues& r, Index tile, Index block) {
  const Index in_plane = static_cast<Index>(r.p->first_vector) / tile_vectors + tile;
  return r.planes + (in_plane * (static_cast<Index>(r.p->inner_padded) / block_terms) + block) * block_bytes;
}

// 64 integers below 2^60 as their lower and upper halves: 16 a register, which of them is up to the caller.
struct Limbs {
  __m512i low[4], high[4];
};

enum class Arrange { AsTheyCome, FourTogether };  // FourTogether: byte 4 i + e is entry i of register e

template <Arrange arrange>
inline __attribute__((always_inline)) __m512i arranged(__m512i bytes) {
  if constexpr (arrange == Arrange::AsTheyCome) return bytes;
  return _mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)));
}

inline __attribute__((always_inline)) void put(std::int8_t* to, __m512i bytes, bool stream) {
  if (stream) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), bytes);
  } else {
    _mm512_store_si512(to, bytes);
  }
}

/// Residues of 64 integers for every modulus, 64 bytes each, `stride` bytes apart.
template <Arrange arrange>
inline __attribute__((always_inline)) void make_residues(const Limbs& x, const Constants& set, std::int8_t* to, Index stride, bool stream) {
  const __m512i byte = _mm512_set1_epi32(255);
  const __m512i first = _mm512_packus_epi32(_mm512_and_si512(x.low[0], byte), _mm512_and_si512(x.low[1], byte));
  const __m512i second = _mm512_packus_epi32(_mm512_and_si512(x.low[2], byte), _mm512_and_si512(x.low[3], byte));
  put(to, arranged<arrange>(_mm512_packus_epi16(first, second)), stream);
  for (int l = 1; l < set.count; ++l) {
    const ModulusConstants& c = set.moduli[l];
    const __m512i low_weights = _mm512_set1_epi32(c.low_weights), high_weights = _mm512_set1_epi32(c.high_weights);
    const __m512i inverse = _mm512_set1_epi32(c.inverse_words), modulus = _mm512_set1_epi32(c.modulus_words);
    __m512i sum[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) sum[i] = _mm512_dpbusd_epi32(_mm512_set1_epi32(c.bias), x.low[i], low_weights);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) sum[i] = _mm512_dpbusd_epi32(sum[i], x.high[i], high_weights);
    const __m512i a = _mm512_packus_epi32(sum[0], sum[1]), b = _mm512_packus_epi32(sum[2], sum[3]);
    const __m512i r = _mm512_packs_epi16(_mm512_mulhi_epi16(_mm512_mullo_epi16(a, inverse), modulus),
                                         _mm512_mulhi_epi16(_mm512_mullo_epi16(b, inverse), modulus));
    put(to + l * stride, arranged<arrange>(r), stream);
  }
}

// rint(x 2^shift): exact for every finite x whose result fits.
inline __attribute__((always_inline)) __m512i integer_of(__m512d x, __m512d shift, __m512i sign) {
  const __m512d signed_x = _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(x), sign));
  return _mm512_cvt_roundpd_epi64(_mm512_scalef_pd(signed_x, shift), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

// Integers as eight registers of eight: re, im, re + im.
struct Integers {
  __m512i x[8];
};

inline Limbs limbs_of_terms(const Integers& z) {
  const __m512i offset = _mm512_set1_epi64(1ll << 59);
  Limbs out;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m512 a = _mm512_castsi512_ps(_mm512_add_epi64(z.x[2 * i], offset)),
                 b = _mm512_castsi512_ps(_mm512_add_epi64(z.x[2 * i + 1], offset));
    out.low[i] = _mm512_castps_si512(_mm512_shuffle_ps(a, b, 0x88));
    out.high[i] = _mm512_castps_si512(_mm512_shuffle_ps(a, b, 0xDD));
  }
  return out;
}

inline Limbs limbs_of_vectors(const Integers& z) {
  const __m512i offset = _mm512_set1_epi64(1ll << 59);
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  Limbs out;
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m512i a = _mm512_add_epi64(z.x[2 * i], offset), b = _mm512_add_epi64(z.x[2 * i + 1], offset);
    out.low[i] = _mm512_permutex2var_epi32(a, even, b);
    out.high[i] = _mm512_permutex2var_epi32(a, odd, b);
  }
  return out;
}

inline Integers sum_of(const Integers& a, const Integers& b) {
  Integers out;
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) out.x[i] = _mm512_add_epi64(a.x[i], b.x[i]);
  return out;
}

inline __m512i sign_of(const Residues& r, int part) {
  return _mm512_set1_epi64((r.p->v.negated >> part & 1u) != 0 ? INT64_MIN : 0);
}

// Right vectors: the 64 terms of one vector.
inline Integers integers_of_terms(const LoadedTile& tile, Index vector, const Scratch& s, __m512i sign) {
  const __m512d shift = _mm512_set1_pd(s.shift[vector]);
  Integers out;
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    const __m512d x = _mm512_loadu_pd(tile.at + vector * tile.stride + 8 * i);
    out.x[i] = integer_of(x, _mm512_add_pd(shift, _mm512_load_pd(s.kappa + 8 * i)), sign);
  }
  return out;
}

// Term 4 q + e of 16 left vectors, e = 0..3, in the order of places: see term_of.
inline Index term_of(Index place) {
  const Index lane = place / 16, quarter = place / 4 % 4, e = place % 4;
  return 16 * quarter + 2 * lane + (e / 2) * 8 + e % 2;
}

inline Integers integers_of_vectors(const LoadedTile& tile, Index q, const Scratch& s, __m512i sign) {
  const __m512d shift0 = _mm512_load_pd(s.shift), shift1 = _mm512_load_pd(s.shift + 8);
  Integers out;
#pragma GCC unroll 4
  for (int e = 0; e < 4; ++e) {
    const Index k = term_of(4 * q + e);
    const __m512d kappa = _mm512_set1_pd(s.kappa[k]);
    const double* const at = tile.at + k * tile.stride;
    out.x[2 * e] = integer_of(_mm512_loadu_pd(at), _mm512_add_pd(shift0, kappa), sign);
    out.x[2 * e + 1] = integer_of(_mm512_loadu_pd(at + 8), _mm512_add_pd(shift1, kappa), sign);
  }
  return out;
}

// The shifts of the tile's vectors and the kappas of the block's terms; 0 beyond what exists.
void load_shifts(const Residues& r, const TileRange& range, Scratch& s) {
  for (Index v = 0; v < tile_vectors; ++v) s.shift[v] = v < range.vectors ? r.shifts[r.p->first_shift + range.vector + v] : 0;
  for (Index k = 0; k < block_terms; ++k) {
    const bool given = r.p->use_inner != 0 && k < range.terms;
    s.kappa[k] = given ? r.p->kappa_sign * r.inner[2 * (r.p->inner0 + range.term + k)] : 0;
  }
}

template <Order order>
inline Integers integers_at(const LoadedTile& tile, Index row, const Scratch& s, __m512i sign) {
  if constexpr (order == Order::TermsFastest) return integers_of_terms(tile, row, s, sign);
  return integers_of_vectors(tile, row, s, sign);
}

template <Order order>
void convert_block(const Residues& r, const TileRange& range, std::int8_t* to, Scratch& s) {
  constexpr Arrange arrange = order == Order::TermsFastest ? Arrange::AsTheyCome : Arrange::FourTogether;
  const auto limbs = [](const Integers& z) { return order == Order::TermsFastest ? limbs_of_terms(z) : limbs_of_vectors(z); };
  const Index stride = modulus_stride(r), next_part = part_stride(r);
  const TileRange there{range.vector, range.vectors, range.term + static_cast<Index>(r.p->inner0), range.terms};
  const LoadedTile re = load_tile<order>(r.source[0], there, s.buffer[0]);
  if (r.p->v.parts == 1) {
    const __m512i sign = sign_of(r, 0);
    for (Index row = 0; row < 16; ++row) {
      make_residues<arrange>(limbs(integers_at<order>(re, row, s, sign)), *r.constants, to + 64 * row, stride, r.stream);
    }
    return;
  }
  const LoadedTile im = load_tile<order>(r.source[1], there, s.buffer[1]);
  const __m512i sign_re = sign_of(r, 0), sign_im = sign_of(r, 1);
  for (Index row = 0; row < 16; ++row) {
    const Integers x = integers_at<order>(re, row, s, sign_re), y = integers_at<order>(im, row, s, sign_im);
    std::int8_t* const here = to + 64 * row;
    make_residues<arrange>(limbs(x), *r.constants, here, stride, r.stream);
    make_residues<arrange>(limbs(y), *r.constants, here + next_part, stride, r.stream);
    make_residues<arrange>(limbs(sum_of(x, y)), *r.constants, here + 2 * next_part, stride, r.stream);
  }
}

int residue_of(const text::pair128& a, bool negative, const text::modulus& c) {
  const kernels::ulong low = a.low;
  kernels::uint sum = static_cast<kernels::uint>(low & 0xFFFF) + static_cast<kernels::uint>(low >> 16 & 0xFFFF) * c.power1;
  sum += static_cast<kernels::uint>(low >> 32 & 0xFFFF) * c.power2 + static_cast<kernels::uint>(low >> 48) * c.power3;
  sum += static_cast<kernels::uint>(a.high) * c.power4;
  kernels::uint rest = text::reduce_unsigned(sum, c.m, c.inverse);
  if (negative && rest != 0) rest = c.m - rest;
  return text::symmetric(rest, c.m);
}

// Any number of moduli, plain residues, entry by entry.
void convert_block_slowly(const Residues& r, const TileRange& range, std::int8_t* to) {
  const int parts = static_cast<int>(r.p->v.parts);
  for (Index v = 0; v < tile_vectors; ++v) {
    for (Index place = 0; place < block_terms; ++place) {
      const Index k = term_of(place);
      const bool exists = v < range.vectors && k < range.terms;
      text::pair128 a[2] = {};
      bool negative[2] = {};
      for (int part = 0; exists && part < parts; ++part) {
        const Index term = range.term + static_cast<Index>(r.p->inner0) + k;
        const double x = r.source[part].at[(range.vector + v) * r.source[part].vector_stride + term * r.source[part].inner_stride];
        int shift = r.shifts[r.p->first_shift + range.vector + v];
        if (r.p->use_inner != 0) shift += r.p->kappa_sign * r.inner[2 * term];
        const auto word = __builtin_bit_cast(kernels::ulong, x);
        a[part] = text::scaled_integer(word, shift);
        negative[part] = (word >> 63 ^ (r.p->v.negated >> part & 1u)) != 0;
      }
      std::int8_t* const here = to + (r.left ? 64 * (place / 4) + 4 * v + place % 4 : 64 * v + place);
      for (int l = 0; l < r.constants->count; ++l) {
        const text::modulus& c = r.table[l];
        std::int8_t* const at = here + l * modulus_stride(r);
        const int re = residue_of(a[0], negative[0], c);
        *at = static_cast<std::int8_t>(re);
        if (parts == 1) continue;
        const int im = residue_of(a[1], negative[1], c);
        at[part_stride(r)] = static_cast<std::int8_t>(im);
        at[2 * part_stride(r)] = static_cast<std::int8_t>(text::reduce_signed(re + im, c.m, c.inverse));
      }
    }
  }
}

void convert_items(const void* state, std::byte* scratch, Index first, Index last) {
  const Residues& r = *static_cast<const Residues*>(state);
  Scratch& s = *reinterpret_cast<Scratch*>(scratch);
  const Index tile_items = (r.tiles + item_tiles - 1) / item_tiles;
  const Index vectors = r.p->v.vectors, terms = r.p->v.inner;
  for (Index item = first; item < last; ++item) {
    const Index tile0 = item % tile_items * item_tiles, block0 = item / tile_items * item_blocks;
    for (Index block = block0; block < block0 + item_blocks && block < r.blocks; ++block) {
      for (Index tile = tile0; tile < tile0 + item_tiles && tile < r.tiles; ++tile) {
        const Index v = tile * tile_vectors, k = block * block_terms;
        const TileRange range{v, vectors - v < tile_vectors ? vectors - v : tile_vectors, k,
                              terms - k < block_terms ? terms - k : block_terms};
        std::int8_t* const to = block_at(r, tile, block);
        if (r.constants->count > fast_moduli) {
          convert_block_slowly(r, range, to);
          continue;
        }
        load_shifts(r, range, s);
        if (r.left) {
          convert_block<Order::VectorsFastest>(r, range, to, s);
        } else {
          convert_block<Order::TermsFastest>(r, range, to, s);
        }
      }
    }
  }
  if (r.stream) _mm_sfence();
}

}  // namespace

void residues_avx512(const Launch& launch) {
  const auto* const p = static_cast<const text::residues_params*>(launch.buffers[6]);
  const auto* const table = static_cast<const text::modulus*>(launch.buffers[4]);
  Residues r{};
  r.p = p;
  r.source[0] = source_of(p->v, launch.buffers[0], p->v.offset_re);
  r.source[1] = source_of(p->v, launch.buffers[1], p->v.offset_im);
  r.inner = static_cast<const std::int32_t*>(launch.buffers[2]);
  r.shifts = static_cast<const std::int32_t*>(launch.buffers[3]);
  r.table = table;
  r.planes = static_cast<std::int8_t*>(launch.buffers[5]);
  r.constants = &constants_for(static_cast<const kernels::modulus*>(launch.buffers[4]), static_cast<int>(p->moduli));
  r.tiles = (static_cast<Index>(p->v.vectors) + tile_vectors - 1) / tile_vectors;
  r.blocks = static_cast<Index>(p->inner_padded) / block_terms;
  r.left = p->kappa_sign > 0;
  const Index bytes = modulus_stride(r) * static_cast<Index>(p->moduli);
  r.stream = static_cast<std::size_t>(bytes) > beyond_caches;
  const Index items = ((r.tiles + item_tiles - 1) / item_tiles) * ((r.blocks + item_blocks - 1) / item_blocks);
  launch.sharer.share(items, bytes / 4, &convert_items, &r);
}

}  // namespace ab::device::native
