// SPDX-License-Identifier: MIT
// 16 vectors by 64 terms of an operand, however it is stored. For AVX-512 files only.
#pragma once
#include <immintrin.h>

#include "device/cpu/native/avx512.hpp"
#include "device/cpu/native/text.hpp"

namespace ab::device::native {
namespace {

/// One part of the vectors of an operand.
struct Source {
  const double* at;
  Index vector_stride, inner_stride;  // words
};

inline Source source_of(const text::vector_view& v, const void* words, std::uint64_t offset) {
  return {static_cast<const double*>(words) + offset, v.vector_stride, v.inner_stride};
}

/// What exists of a tile.
struct TileRange {
  Index vector, vectors, term, terms;  // at most 16 vectors and 64 terms
};

enum class Order { TermsFastest, VectorsFastest };

/// Entry (vector v, term k) of the tile: at[v * stride + k] (terms fastest) or at[k * stride + v].
struct LoadedTile {
  const double* at;
  Index stride;
};

inline __mmask8 first_lanes(Index count) {
  return static_cast<__mmask8>(count >= 8 ? 0xFF : count <= 0 ? 0 : (1 << count) - 1);
}

// Eight entries at distance 1 or 2. At distance 2 what lies between may be another part, but nothing behind the last one is read.
inline __m512d load_eight(const double* at, Index stride, Index count) {
  if (stride == 1) return _mm512_maskz_loadu_pd(first_lanes(count), at);
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  const __m512d low = _mm512_maskz_loadu_pd(first_lanes(2 * count - 1), at);
  const __m512d high = _mm512_maskz_loadu_pd(first_lanes(2 * count - 9), at + 8);
  return _mm512_permutex2var_pd(low, even, high);
}

inline void transpose_eight(const __m512d (&x)[8], double* to, Index stride) {
  __m512d a[8], b[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    a[i] = _mm512_unpacklo_pd(x[i], x[i + 1]);
    a[i + 1] = _mm512_unpackhi_pd(x[i], x[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    b[i] = _mm512_shuffle_f64x2(a[i], a[i + 2], 0x88);
    b[i + 1] = _mm512_shuffle_f64x2(a[i + 1], a[i + 3], 0x88);
    b[i + 2] = _mm512_shuffle_f64x2(a[i], a[i + 2], 0xDD);
    b[i + 3] = _mm512_shuffle_f64x2(a[i + 1], a[i + 3], 0xDD);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    _mm512_storeu_pd(to + i * stride, _mm512_shuffle_f64x2(b[i], b[i + 4], 0x88));
    _mm512_storeu_pd(to + (i + 4) * stride, _mm512_shuffle_f64x2(b[i], b[i + 4], 0xDD));
  }
}

// Fast and slow direction of the tile as it is wanted.
struct Direction {
  Index stride, count, full;
};

// The same rows of the next tile are fetched ahead.
inline void copy_rows(const double* from, Direction fast, Direction slow, double* to) {
  for (Index s = 0; s < slow.full; ++s) {
    const double* const next = from + s * slow.stride + fast.full * fast.stride;
    for (Index word = 0; word < fast.full * fast.stride; word += 8) _mm_prefetch(reinterpret_cast<const char*>(next + word), _MM_HINT_T1);
    for (Index f = 0; f < fast.full; f += 8) {
      const Index count = s < slow.count ? fast.count - f : 0;
      const __m512d x = count > 0 ? load_eight(from + s * slow.stride + f * fast.stride, fast.stride, count) : _mm512_setzero_pd();
      _mm512_storeu_pd(to + s * fast.full + f, x);
    }
  }
}

inline void transpose_rows(const double* from, Direction fast, Direction slow, double* to) {
  for (Index f = 0; f < fast.full; f += 8) {
    for (Index s = 0; s < slow.full; s += 8) {
      __m512d x[8];
#pragma GCC unroll 8
      for (Index i = 0; i < 8; ++i) {
        const bool some = f + i < fast.count && s < slow.count;
        x[i] = some ? load_eight(from + (f + i) * fast.stride + s * slow.stride, slow.stride, slow.count - s) : _mm512_setzero_pd();
      }
      transpose_eight(x, to + s * fast.full + f, fast.full);
    }
  }
}

inline void gather_rows(const double* from, Direction fast, Direction slow, double* to) {
  for (Index s = 0; s < slow.full; ++s) {
    for (Index f = 0; f < fast.full; ++f) {
      to[s * fast.full + f] = s < slow.count && f < fast.count ? from[s * slow.stride + f * fast.stride] : 0.0;
    }
  }
}

/// The tile where it is, or in `buffer` (1024 doubles), zero beyond what exists.
template <Order order>
inline LoadedTile load_tile(const Source& source, const TileRange& range, double* buffer) {
  const double* const from = source.at + range.vector * source.vector_stride + range.term * source.inner_stride;
  const Direction vectors{source.vector_stride, range.vectors, tile_vectors}, terms{source.inner_stride, range.terms, block_terms};
  const Direction& fast = order == Order::TermsFastest ? terms : vectors;
  const Direction& slow = order == Order::TermsFastest ? vectors : terms;
  const bool whole = range.vectors == tile_vectors && range.terms == block_terms;
  if (fast.stride == 1 && whole) return {from, slow.stride};
  if (fast.stride == 1 || fast.stride == 2) {
    copy_rows(from, fast, slow, buffer);
  } else if (slow.stride == 1 || slow.stride == 2) {
    transpose_rows(from, fast, slow, buffer);
  } else {
    gather_rows(from, fast, slow, buffer);
  }
  return {buffer, fast.full};
}

}  // namespace
}  // namespace ab::device::native
