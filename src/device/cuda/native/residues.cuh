// SPDX-License-Identifier: MIT
// FP64 words -> scaled integers -> residues of a byte (docs/numerics.md 6.2, 7.2, layout 11.2), bit for bit those of the common kernel,
// for |a'| < 2^62 and vectors without inner exponents. A thread makes eight neighbouring terms of one vector.
#pragma once
#include "device/cuda/native/layout.hpp"

namespace ab::device::cuda::native {

// x 2^shift in two exact factors, the first with the sign that the part counts with: 2^shift alone may be no FP64 number. Where the
// first product is subnormal, the result is far below one half.
struct Scale {
  double first, second;
  __device__ __forceinline__ Scale(int shift, bool negated)
      : first(__hiloint2double((shift / 2 + 1023) << 20 | static_cast<int>(negated ? 0x80000000u : 0u), 0)),
        second(__hiloint2double((shift - shift / 2 + 1023) << 20, 0)) {}
  __device__ __forceinline__ long long integer(double x) const { return __double2ll_rn(__dmul_rn(__dmul_rn(x, first), second)); }
};

// The symmetric residue in the low byte: bytes with their bias taken off (the highest is signed) times 256^i mod m are below 2^18, so
// 1.5 2^23 + their sum is an exact FP32 number; its quotient by m, rounded by the same magic number, is off by less than 2^-6 / m.
__device__ __forceinline__ int residue_of(long long a, const ResidueModulus& c) {
  const int low = static_cast<int>(a) ^ static_cast<int>(0x80808080u), high = static_cast<int>(a >> 32) ^ 0x00808080;
  const int bits = __dp4a(low, c.low_weights, __dp4a(high, c.high_weights, c.bias));
  const float quotient = __fmaf_rn(__fsub_rn(__int_as_float(bits), 12582912.0f), c.reciprocal, 12582912.0f);
  return less_multiple(bits, __float_as_int(quotient), c.minus_modulus);
}
__device__ __forceinline__ unsigned four_residues(const long long* a, const ResidueModulus& c) {
  const unsigned x = static_cast<unsigned>(residue_of(a[0], c)), y = static_cast<unsigned>(residue_of(a[1], c));
  const unsigned z = static_cast<unsigned>(residue_of(a[2], c)), w = static_cast<unsigned>(residue_of(a[3], c));
  return __byte_perm(__byte_perm(x, y, 0x0040), __byte_perm(z, w, 0x0040), 0x5410);
}

// Eight terms from `term` on: their bytes in all planes.
template <int parts>
__device__ __forceinline__ void store_residues(const ResidueParams& p, const long long (&re)[unit_terms], const long long (&im)[unit_terms],
                                               unsigned vector, unsigned term) {
  constexpr int planes = parts == 2 ? 3 : 1;
  const unsigned long plane_bytes = static_cast<unsigned long>(p.p.all_vectors) * p.p.inner_padded;
  unsigned char* to = p.planes + static_cast<unsigned long>(p.p.first_vector + vector) * p.p.inner_padded + term;
#pragma unroll 1
  for (unsigned l = 0; l < p.p.moduli; ++l, to += planes * plane_bytes) {
    const ResidueModulus& c = p.moduli[l];
    *reinterpret_cast<uint2*>(to) = make_uint2(four_residues(re, c), four_residues(re + 4, c));
    if constexpr (parts == 2) {
      long long both[unit_terms];
#pragma unroll
      for (int e = 0; e < unit_terms; ++e) both[e] = re[e] + im[e];
      *reinterpret_cast<uint2*>(to + plane_bytes) = make_uint2(four_residues(im, c), four_residues(im + 4, c));
      *reinterpret_cast<uint2*>(to + 2 * plane_bytes) = make_uint2(four_residues(both, c), four_residues(both + 4, c));
    }
  }
}

__device__ __forceinline__ long word_place(const ResidueParams& p, unsigned vector, unsigned term) {
  return static_cast<long>(vector) * p.p.v.vector_stride + static_cast<long>(p.p.inner0 + term) * p.p.v.inner_stride;
}
__device__ __forceinline__ bool is_negated(const ResidueParams& p, int part) { return ((p.p.v.negated >> part) & 1u) != 0; }

// From its record, whose first half holds all that counts.
__device__ __forceinline__ int shift_of(const ResidueParams& p, unsigned vector) {
  const kernels::vector_record& r = p.records[p.p.first_record + vector];
  return kernels::shift_of_record(r.E, r.L, r.flags, p.p.budget);
}

struct Words {
  double re, im;
};
template <int parts>
__device__ __forceinline__ Words words_at(const ResidueParams& p, unsigned vector, unsigned term) {
  if (vector >= p.p.v.vectors || term >= p.p.v.inner) return {0.0, 0.0};
  const long at = word_place(p, vector, term);
  if (parts == 2 && p.loads == Loads::Interleaved) {
    const double2 both = __ldcs(reinterpret_cast<const double2*>(p.re + at));
    return {both.x, both.y};
  }
  return {__ldcs(p.re + at), parts == 2 ? __ldcs(p.im + at) : 0.0};
}

// Terms of a vector are neighbours: a warp takes a line of one vector.
template <int parts>
__device__ __forceinline__ void residues_along(const ResidueParams& p) {
  const unsigned lines = (p.p.inner_padded + line_terms - 1) / line_terms;
  const unsigned warp = blockIdx.x * (residue_threads / 32) + threadIdx.x / 32, vector = warp / lines;
  const unsigned term = warp % lines * line_terms + threadIdx.x % 32 * unit_terms;
  if (vector >= p.p.v.vectors || term >= p.p.inner_padded) return;
  const int shift = shift_of(p, vector);
  if (term == 0) p.shifts[p.p.first_shift + vector] = shift;
  const Scale scale_re(shift, is_negated(p, 0)), scale_im(shift, is_negated(p, 1));
  double x[unit_terms], y[unit_terms];
  if (p.loads == Loads::Terms && term + unit_terms <= p.p.v.inner) {
    const long at = word_place(p, vector, term);
#pragma unroll
    for (int e = 0; e < unit_terms; e += 2) {
      const double2 two = *reinterpret_cast<const double2*>(p.re + at + e);
      const double2 other = parts == 2 ? *reinterpret_cast<const double2*>(p.im + at + e) : double2{0.0, 0.0};
      x[e] = two.x, x[e + 1] = two.y, y[e] = other.x, y[e + 1] = other.y;
    }
  } else {
#pragma unroll
    for (int e = 0; e < unit_terms; ++e) {
      const Words words = words_at<parts>(p, vector, term + static_cast<unsigned>(e));
      x[e] = words.re, y[e] = words.im;
    }
  }
  long long re[unit_terms], im[unit_terms];
#pragma unroll
  for (int e = 0; e < unit_terms; ++e) re[e] = scale_re.integer(x[e]), im[e] = parts == 2 ? scale_im.integer(y[e]) : 0;
  store_residues<parts>(p, re, im, vector, term);
}

// Vectors are neighbours: a tile is turned in shared memory, so that a warp reads words of 16 vectors and writes a line of one. The
// steps of a thread, with a barrier between any two of `put` and `take`.
template <int parts>
struct AcrossThread {
  static constexpr int loads = line_terms * across_vectors / across_threads, terms_at_once = across_threads / across_vectors;
  const ResidueParams& p;
  const int thread;
  const unsigned first_vector, first_term;
  double x[2][loads];
  long long a[2][unit_terms];

  __device__ __forceinline__ AcrossThread(const ResidueParams& params, unsigned block, unsigned thread_of_block)
      : p(params),
        thread(static_cast<int>(thread_of_block)),
        first_vector(block % vector_tiles(params) * across_vectors),
        first_term(block / vector_tiles(params) * line_terms) {}
  static __device__ __forceinline__ unsigned vector_tiles(const ResidueParams& p) { return (p.p.v.vectors + across_vectors - 1) / across_vectors; }
  __device__ __forceinline__ int term_of_load(int i) const { return thread / across_vectors + i * terms_at_once; }
  __device__ __forceinline__ unsigned vector() const { return first_vector + static_cast<unsigned>(thread / 32); }
  __device__ __forceinline__ unsigned term() const { return first_term + static_cast<unsigned>(thread % 32 * unit_terms); }
  __device__ __forceinline__ bool exists() const { return vector() < p.p.v.vectors && term() < p.p.inner_padded; }

  __device__ __forceinline__ void load() {
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      const Words words = words_at<parts>(p, first_vector + static_cast<unsigned>(thread % across_vectors),
                                          first_term + static_cast<unsigned>(term_of_load(i)));
      x[0][i] = words.re, x[1][i] = words.im;
    }
  }
  __device__ __forceinline__ void put(double* tile, int part) const {
#pragma unroll
    for (int i = 0; i < loads; ++i) tile[place_in_tile(term_of_load(i), thread % across_vectors)] = x[part][i];
  }
  __device__ __forceinline__ void take(const double* tile, int part) {
    const Scale scale(exists() ? shift_of(p, vector()) : 0, is_negated(p, part));
#pragma unroll
    for (int e = 0; e < unit_terms; ++e) a[part][e] = scale.integer(tile[place_in_tile(thread % 32 * unit_terms + e, thread / 32)]);
  }
  __device__ __forceinline__ void store() const {
    if (!exists()) return;
    if (term() == 0) p.shifts[p.p.first_shift + vector()] = shift_of(p, vector());
    store_residues<parts>(p, a[0], a[parts - 1], vector(), term());
  }
};

template <int parts>
__device__ __forceinline__ void residues_across(const ResidueParams& p) {
  __shared__ double tile[line_terms * across_vectors];
  AcrossThread<parts> thread(p, blockIdx.x, threadIdx.x);
  thread.load();
  thread.put(tile, 0);
  __syncthreads();
  thread.take(tile, 0);
  if constexpr (parts == 2) {
    __syncthreads();
    thread.put(tile, 1);
    __syncthreads();
    thread.take(tile, 1);
  }
  thread.store();
}

}  // namespace ab::device::cuda::native
