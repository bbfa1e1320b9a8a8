// SPDX-License-Identifier: MIT
// Sums of products of residues -> bytes, in the registers of the threads that made them (docs/cuda_kernels.md).
#pragma once
#include "device/cuda/native/layout.hpp"

namespace ab::device::cuda::native {

// The low byte of residue + 128 for every int32 (Reduction::Bytes): bytes with their bias taken off (the highest is signed) times
// 256^i mod m are below 2^16, so 1.5 2^23 + 128 + their sum is an exact FP32 number whose bits are that integer's plus 0x4B400080;
// the same magic number rounds the quotient, and its own multiple of m has a low byte of 0.
__device__ __forceinline__ int reduce_bytes(int sum, const ProductModulus& c) {
  const int bits = __dp4a(sum ^ 0x00808080, c.weights, c.bias);
  const float small = __fsub_rn(__int_as_float(bits), c.offset);
  const float quotient = __fmaf_rn(small, c.reciprocal, 12582912.0f);
  return less_multiple(bits, __float_as_int(quotient), c.minus_modulus);
}
// The low byte of the residue (Reduction::Float).
__device__ __forceinline__ int reduce_float(int sum, const ProductModulus& c) {
  return less_multiple(sum, __float_as_int(__fmaf_rn(__int2float_rn(sum), c.reciprocal, 12582912.0f)), c.minus_modulus);
}
__device__ __forceinline__ unsigned low_bytes(int a, int b, int c, int d) {
  return __byte_perm(__byte_perm(static_cast<unsigned>(a), static_cast<unsigned>(b), 0x0040),
                     __byte_perm(static_cast<unsigned>(c), static_cast<unsigned>(d), 0x0040), 0x5410);
}

template <Reduction reduction>
__device__ __forceinline__ unsigned reduced_word(const int (&sums)[thread_sums], int chunk, int word, const ProductModulus& c) {
  int bytes[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    bytes[e] = sums[sum_of_chunk(chunk, word, e)];
    if (reduction == Reduction::Bytes) bytes[e] = reduce_bytes(bytes[e], c);
    if (reduction == Reduction::Float) bytes[e] = reduce_float(bytes[e], c);
  }
  const unsigned packed = low_bytes(bytes[0], bytes[1], bytes[2], bytes[3]);
  return reduction == Reduction::Bytes ? packed : packed ^ 0x80808080u;
}

template <Reduction reduction>
__device__ __forceinline__ void store_pieces_as(const int (&sums)[thread_sums], uint4* slab, const Pieces& pieces, const ProductModulus& c) {
#pragma unroll
  for (int i = 0; i < chunks; ++i) {
    slab[piece_at(pieces, i)] = make_uint4(reduced_word<reduction>(sums, i, 0, c), reduced_word<reduction>(sums, i, 1, c),
                                           reduced_word<reduction>(sums, i, 2, c), reduced_word<reduction>(sums, i, 3, c));
  }
}

__device__ __forceinline__ void carry_on(int (&sums)[thread_sums], const ProductModulus& c) {
  if (c.reduction == Reduction::LowByte) return;  // modulo 2^32 is modulo 256
#pragma unroll
  for (int i = 0; i < thread_sums; ++i) sums[i] = (reduce_bytes(sums[i], c) & 255) - 128;
}

// How a thread's sums of one tile leave it.
__device__ __forceinline__ void store_pieces(const int (&sums)[thread_sums], uint4* slab, const Pieces& pieces, const ProductModulus& c) {
  if (c.reduction == Reduction::LowByte) {
    store_pieces_as<Reduction::LowByte>(sums, slab, pieces, c);
  } else if (c.reduction == Reduction::Float) {
    store_pieces_as<Reduction::Float>(sums, slab, pieces, c);
  } else {
    store_pieces_as<Reduction::Bytes>(sums, slab, pieces, c);
  }
}
__device__ __forceinline__ uint4* slab_at(const ProductParams& p, int plane, int row_tile, int slab) {
  const size_t place = (static_cast<size_t>(plane) * p.row_tiles + row_tile) * p.slabs + slab;
  return reinterpret_cast<uint4*>(p.results + place * slab_bytes);
}

}  // namespace ab::device::cuda::native
