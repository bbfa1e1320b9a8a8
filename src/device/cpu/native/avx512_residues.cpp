// SPDX-License-Identifier: MIT
// FP64 words -> integers -> residues in the layout of avx512.hpp (docs/numerics.md 6.2, 7.2; the common kernel is kernels/residues.k).
// Up to 15 moduli the integers are below 2^59: their bytes are multiplied by weights of one byte and the sums are reduced by two
// 16-bit multiplications, which leaves unit * x mod m (constants.hpp). With more moduli residues are made one by one.
#include <immintrin.h>

#include "device/cpu/native/load_tile.hpp"
#include "device/cpu/native/shifts.hpp"

namespace ab::device::native {
namespace {

constexpr Index item_tiles = 8, item_blocks = 4;  // shared over threads: 128 vectors by 256 terms
struct Residues {
  const text::residues_params* p;
  Source source[2];
  const std::int32_t* inner;
  const std::int32_t* shifts;
  const text::modulus* table;
  std::int8_t* planes;
  const Constants* constants;
  Index tiles;  // of this view
  Chunks chunks;
  bool left;
};

// How a tile's entries become integers: times a power of two (and the sign of the part), or, where that power is out of range or terms
// have exponents of their own, by adding to exponents.
enum class Scaling { Multiply, AddExponents };

// 64 integers below 2^60 as their lower and upper halves: 16 a register, which of them is up to the caller.
struct Limbs {
  __m512i low[4], high[4];
};
constexpr int block_lines = 16;  // of 64 residues, as many a plane

struct Scratch {
  Limbs limbs[3][block_lines];  // re, im, re + im
  alignas(64) double buffer[2][tile_vectors * block_terms];
  alignas(64) double kappa[block_terms];
  alignas(64) double shift[tile_vectors];
  alignas(64) double factor[2][tile_vectors];  // by part
};
static_assert(sizeof(Scratch) <= native_scratch_bytes);

Index out_parts(const Residues& r) {
  return r.p->v.parts == 2 ? 3 : 1;
}
// Bytes from a modulus' planes to the next one's.
Index modulus_stride(const Residues& r) {
  return out_parts(r) * plane_bytes(r.p->all_vectors, r.p->inner_padded);
}
Index part_stride(const Residues& r) {
  return plane_bytes(r.p->all_vectors, r.p->inner_padded);
}
std::int8_t* block_at(const Residues& r, Index tile, Index block) {
  const Index in_plane = static_cast<Index>(r.p->first_vector) / tile_vectors + tile;
  const Index tiles = static_cast<Index>(r.p->all_vectors) / tile_vectors, chunk = block / r.chunks.size;
  const Index in_chunk = in_plane * blocks_of(r.chunks, chunk) + block - chunk * r.chunks.size;
  return r.planes + (chunk * r.chunks.size * tiles + in_chunk) * block_bytes;
}

enum class Arrange { AsTheyCome, FourTogether };  // FourTogether: byte 4 i + e is entry i of register e

template <Arrange arrange>
inline __attribute__((always_inline)) __m512i arranged(__m512i bytes) {
  if constexpr (arrange == Arrange::AsTheyCome) return bytes;
  return _mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)));
}

inline __attribute__((always_inline)) __m512i lowest_bytes(const Limbs& x) {
  const __m512i byte = _mm512_set1_epi32(255);
  const __m512i first = _mm512_packus_epi32(_mm512_and_si512(x.low[0], byte), _mm512_and_si512(x.low[1], byte));
  const __m512i second = _mm512_packus_epi32(_mm512_and_si512(x.low[2], byte), _mm512_and_si512(x.low[3], byte));
  return _mm512_packus_epi16(first, second);
}

inline __attribute__((always_inline)) __m512i residues_of(const Limbs& x, const ModulusConstants& c) {
  const __m512i low_weights = _mm512_set1_epi32(c.low_weights), high_weights = _mm512_set1_epi32(c.high_weights);
  const __m512i inverse = _mm512_set1_epi32(c.inverse_words), modulus = _mm512_set1_epi32(c.modulus_words);
  __m512i sum[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) sum[i] = _mm512_dpbusd_epi32(_mm512_set1_epi32(c.bias), x.low[i], low_weights);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) sum[i] = _mm512_dpbusd_epi32(sum[i], x.high[i], high_weights);
  const __m512i a = _mm512_packus_epi32(sum[0], sum[1]), b = _mm512_packus_epi32(sum[2], sum[3]);
  return _mm512_packs_epi16(_mm512_mulhi_epi16(_mm512_mullo_epi16(a, inverse), modulus),
                            _mm512_mulhi_epi16(_mm512_mullo_epi16(b, inverse), modulus));
}

/// Residues of a block's integers for every modulus, `stride` bytes apart: sixteen lines of a plane at a time, written past the caches.
template <Arrange arrange>
void make_residues(const Limbs (&lines)[block_lines], const Constants& set, std::int8_t* to, Index stride) {
  const auto put = [](std::int8_t* at, __m512i bytes) { _mm512_stream_si512(reinterpret_cast<__m512i*>(at), arranged<arrange>(bytes)); };
  for (int line = 0; line < block_lines; ++line) put(to + 64 * line, lowest_bytes(lines[line]));
  for (int l = 1; l < set.count; ++l) {
    for (int line = 0; line < block_lines; ++line) put(to + l * stride + 64 * line, residues_of(lines[line], set.moduli[l]));
  }
}

inline __attribute__((always_inline)) __m512i nearest_integer(__m512d x) {
  return _mm512_cvt_roundpd_epi64(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

// rint(x 2^shift) for every finite x whose result fits.
inline __attribute__((always_inline)) __m512i shifted_integer(__m512d x, __m512d shift, __m512i sign) {
  const __m512d signed_x = _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(x), sign));
  return nearest_integer(_mm512_scalef_pd(signed_x, shift));
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

// One part of a tile, and how it is scaled.
struct PartTile {
  LoadedTile tile;
  const Scratch* s;
  int part;
  __m512i sign;
};

// Right vectors: the 64 terms of one vector.
template <Scaling scaling>
inline Integers integers_of_terms(const PartTile& t, Index vector) {
  const double* const at = t.tile.at + vector * t.tile.stride;
  Integers out;
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    _mm_prefetch(reinterpret_cast<const char*>(at + block_terms + 8 * i), _MM_HINT_T0);  // the vector's next block
    const __m512d x = _mm512_loadu_pd(at + 8 * i);
    if constexpr (scaling == Scaling::Multiply) {
      out.x[i] = nearest_integer(_mm512_mul_pd(x, _mm512_set1_pd(t.s->factor[t.part][vector])));
    } else {
      out.x[i] = shifted_integer(x, _mm512_add_pd(_mm512_set1_pd(t.s->shift[vector]), _mm512_load_pd(t.s->kappa + 8 * i)), t.sign);
    }
  }
  return out;
}

// The term at a place of a block; the order is the one in which registers are packed to bytes.
inline Index term_of(Index place) {
  const Index lane = place / 16, quarter = place / 4 % 4, e = place % 4;
  return 16 * quarter + 2 * lane + (e / 2) * 8 + e % 2;
}

// Left vectors: the terms of places 4 q to 4 q + 3 of all sixteen. The same terms of the next tile are fetched ahead.
template <Scaling scaling>
inline Integers integers_of_vectors(const PartTile& t, Index q) {
  Integers out;
#pragma GCC unroll 4
  for (int e = 0; e < 4; ++e) {
    const Index k = term_of(4 * q + e);
    const double* const at = t.tile.at + k * t.tile.stride;
    _mm_prefetch(reinterpret_cast<const char*>(at + 16), _MM_HINT_T1);
    _mm_prefetch(reinterpret_cast<const char*>(at + 24), _MM_HINT_T1);
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const __m512d x = _mm512_loadu_pd(at + 8 * half);
      if constexpr (scaling == Scaling::Multiply) {
        out.x[2 * e + half] = nearest_integer(_mm512_mul_pd(x, _mm512_load_pd(t.s->factor[t.part] + 8 * half)));
      } else {
        const __m512d shift = _mm512_add_pd(_mm512_load_pd(t.s->shift + 8 * half), _mm512_set1_pd(t.s->kappa[k]));
        out.x[2 * e + half] = shifted_integer(x, shift, t.sign);
      }
    }
  }
  return out;
}

// The shifts of the tile's vectors and the kappas of the block's terms; 0 beyond what exists.
Scaling load_shifts(const Residues& r, const TileRange& range, Scratch& s) {
  Scaling scaling = r.p->use_inner != 0 ? Scaling::AddExponents : Scaling::Multiply;
  for (Index v = 0; v < tile_vectors; ++v) {
    const int shift = v < range.vectors ? r.shifts[range.vector + v] : 0;
    s.shift[v] = shift;
    if (shift < -1000 || shift > 1000) scaling = Scaling::AddExponents;
    const double factor = __builtin_bit_cast(double, static_cast<std::uint64_t>((shift + 1023) & 2047) << 52);
    for (int part = 0; part < 2; ++part) s.factor[part][v] = (r.p->v.negated >> part & 1u) != 0 ? -factor : factor;
  }
  if (scaling == Scaling::Multiply) return scaling;
  for (Index k = 0; k < block_terms; ++k) {
    const bool given = r.p->use_inner != 0 && k < range.terms;
    s.kappa[k] = given ? r.p->kappa_sign * r.inner[2 * (static_cast<Index>(r.p->inner0) + range.term + k)] : 0;
  }
  return scaling;
}

template <Order order, Scaling scaling>
inline Integers integers_at(const PartTile& t, Index row) {
  if constexpr (order == Order::TermsFastest) return integers_of_terms<scaling>(t, row);
  return integers_of_vectors<scaling>(t, row);
}

template <Order order, Scaling scaling>
void convert_block(const Residues& r, const TileRange& range, std::int8_t* to, Scratch& s) {
  constexpr Arrange arrange = order == Order::TermsFastest ? Arrange::AsTheyCome : Arrange::FourTogether;
  const auto limbs = [](const Integers& z) { return order == Order::TermsFastest ? limbs_of_terms(z) : limbs_of_vectors(z); };
  const Index stride = modulus_stride(r), next_part = part_stride(r);
  const TileRange there{range.vector, range.vectors, range.term + static_cast<Index>(r.p->inner0), range.terms};
  const PartTile re{load_tile<order>(r.source[0], there, s.buffer[0]), &s, 0, sign_of(r, 0)};
  if (r.p->v.parts == 1) {
    for (Index line = 0; line < block_lines; ++line) s.limbs[0][line] = limbs(integers_at<order, scaling>(re, line));
    return make_residues<arrange>(s.limbs[0], *r.constants, to, stride);
  }
  const PartTile im{load_tile<order>(r.source[1], there, s.buffer[1]), &s, 1, sign_of(r, 1)};
  for (Index line = 0; line < block_lines; ++line) {
    const Integers x = integers_at<order, scaling>(re, line), y = integers_at<order, scaling>(im, line);
    s.limbs[0][line] = limbs(x);
    s.limbs[1][line] = limbs(y);
    s.limbs[2][line] = limbs(sum_of(x, y));
  }
  for (int plane = 0; plane < 3; ++plane) make_residues<arrange>(s.limbs[plane], *r.constants, to + plane * next_part, stride);
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
        int shift = r.shifts[range.vector + v];
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

void convert_tile(const Residues& r, Index tile, Index block, Scratch& s) {
  const Index v = tile * tile_vectors, k = block * block_terms;
  const Index vectors = static_cast<Index>(r.p->v.vectors) - v, terms = static_cast<Index>(r.p->v.inner) - k;
  const TileRange range{v, vectors < tile_vectors ? vectors : tile_vectors, k, terms < block_terms ? terms : block_terms};
  std::int8_t* const to = block_at(r, tile, block);
  if (r.constants->count > fast_moduli) return convert_block_slowly(r, range, to);
  const Scaling scaling = load_shifts(r, range, s);
  if (r.left && scaling == Scaling::Multiply) {
    convert_block<Order::VectorsFastest, Scaling::Multiply>(r, range, to, s);
  } else if (r.left) {
    convert_block<Order::VectorsFastest, Scaling::AddExponents>(r, range, to, s);
  } else if (scaling == Scaling::Multiply) {
    convert_block<Order::TermsFastest, Scaling::Multiply>(r, range, to, s);
  } else {
    convert_block<Order::TermsFastest, Scaling::AddExponents>(r, range, to, s);
  }
}

void convert_items(const void* state, std::byte* scratch, Index first, Index last) {
  const Residues& r = *static_cast<const Residues*>(state);
  Scratch& s = *reinterpret_cast<Scratch*>(scratch);
  const Index tile_items = (r.tiles + item_tiles - 1) / item_tiles;
  for (Index item = first; item < last; ++item) {
    const Index tile0 = item % tile_items * item_tiles, block0 = item / tile_items * item_blocks;
    // The order of memory: left operands' terms are rows of vectors, right operands' vectors are rows of terms, as a rule.
    for (Index i = 0; i < item_tiles * item_blocks; ++i) {
      const Index tile = tile0 + (r.left ? i % item_tiles : i / item_blocks), block = block0 + (r.left ? i / item_tiles : i % item_blocks);
      if (tile < r.tiles && block < r.chunks.blocks) convert_tile(r, tile, block, s);
    }
  }
  _mm_sfence();
}

}  // namespace

void residues_avx512(const Launch& launch) {
  const auto* const p = static_cast<const text::residues_params*>(launch.buffers[7]);
  const auto* const table = static_cast<const text::modulus*>(launch.buffers[4]);
  Residues r{};
  r.p = p;
  r.source[0] = source_of(p->v, launch.buffers[0], p->v.offset_re);
  r.source[1] = source_of(p->v, launch.buffers[1], p->v.offset_im);
  r.inner = static_cast<const std::int32_t*>(launch.buffers[2]);
  r.shifts = make_shifts(launch, *p);
  r.table = table;
  r.planes = static_cast<std::int8_t*>(launch.buffers[5]);
  r.constants = &constants_for(static_cast<const kernels::modulus*>(launch.buffers[4]), static_cast<int>(p->moduli));
  r.tiles = (static_cast<Index>(p->v.vectors) + tile_vectors - 1) / tile_vectors;
  r.chunks = chunks_of(p->inner_padded);
  r.left = p->kappa_sign > 0;
  const Index bytes = modulus_stride(r) * static_cast<Index>(p->moduli);
  const Index items = ((r.tiles + item_tiles - 1) / item_tiles) * ((r.chunks.blocks + item_blocks - 1) / item_blocks);
  launch.sharer.share(items, bytes / 4, &convert_items, &r);
}

}  // namespace ab::device::native
