// SPDX-License-Identifier: MIT
// Records and profiles of vectors without inner exponents (docs/numerics.md 5), bit for bit those of kernels/scan.k. A block scans some
// vectors in two passes: exponents, then sizes relative to the largest. What registers hold of the first pass is not loaded again for the
// second. The steps of a thread are apart, a barrier between any two.
#pragma once
#include "device/cuda/native/layout.hpp"

namespace ab::device::cuda::native {

// Of one operand word, as two halves: its exponent, that of its lowest set bit, and the leading 21 bits of a normal significand.
struct ScanWord {
  unsigned high, low;
  __device__ __forceinline__ explicit ScanWord(double x)
      : high(static_cast<unsigned>(__double2hiint(x)) & 0x7FFFFFFFu), low(static_cast<unsigned>(__double2loint(x))) {}
  __device__ __forceinline__ bool is_zero() const { return (high | low) == 0; }
  __device__ __forceinline__ int field() const { return static_cast<int>(high >> 20); }
  __device__ __forceinline__ unsigned leading() const { return (high & 0xFFFFFu) | 0x100000u; }
  __device__ __forceinline__ ulong subnormal() const { return static_cast<ulong>(high) << 32 | low; }
  __device__ __forceinline__ int exponent() const { return field() != 0 ? field() - 1023 : kernels::bits64(subnormal()) - 1075; }
  __device__ __forceinline__ int lowest_bit() const {
    if (field() == 0) return kernels::trailing_zeros64(subnormal()) - 1074;
    return field() - 1075 + (low != 0 ? __ffs(static_cast<int>(low)) - 1 : __ffs(static_cast<int>(leading())) + 31);
  }
};

// q = ceil(|x| 2^(14 - E)) and the bin of a nonzero word `depth` binades below E.
struct Sized {
  unsigned q;
  int bin;
};
__device__ __forceinline__ Sized sized(const ScanWord& x, int depth) {
  if (x.field() != 0) {  // 53 bits, of which all but the leading 15 - depth are cut off, at least the lower word
    const int cut = depth < 25 ? depth + 6 : 31;
    const unsigned lost = (x.leading() & ((1u << cut) - 1u)) | x.low;
    return {(x.leading() >> cut) + (lost != 0 ? 1u : 0u), 2 * depth + 1 - static_cast<int>(x.high >> 19 & 1u)};
  }
  const ulong m = x.subnormal();
  const int bits = kernels::bits64(m), right = bits - 15 + depth;
  ulong q = 1;
  if (right <= 0) {
    q = m << -right;
  } else if (right < 64) {
    q = (m >> right) + ((m & ((1ul << right) - 1ul)) != 0 ? 1 : 0);
  }
  return {static_cast<unsigned>(q), 2 * depth + 1 - (bits > 1 ? static_cast<int>(m >> (bits - 2) & 1ul) : 0)};
}

// What the threads of a block share. Rows of counts are apart by an odd number of words: vectors in different banks.
template <int vectors>
struct ScanShared {
  int top[2][vectors], low[2][vectors], least[vectors], bin_shift[vectors];
  unsigned odd[vectors];
  unsigned long long squares[vectors], sizes[2][vectors];
  unsigned counts[2][vectors][profile_bins + 1];
  unsigned profile[2 * profile_bins];
};

#if defined(__CUDA_ARCH__)
// Over the threads of a warp with the same vector: all 32, or two of them 16 apart. Then one of them publishes.
template <bool across>
struct WarpSums {
  static __device__ __forceinline__ bool publishes() { return threadIdx.x % 32 < (across ? 16 : 1); }
  static __device__ __forceinline__ int most(int x) { return across ? max(x, __shfl_xor_sync(~0u, x, 16)) : __reduce_max_sync(~0u, x); }
  static __device__ __forceinline__ int least(int x) { return across ? min(x, __shfl_xor_sync(~0u, x, 16)) : __reduce_min_sync(~0u, x); }
  static __device__ __forceinline__ unsigned sum(unsigned x) { return across ? x + __shfl_xor_sync(~0u, x, 16) : __reduce_add_sync(~0u, x); }
  static __device__ __forceinline__ unsigned long long sum(unsigned long long x) {
#pragma unroll
    for (int apart = 16; apart >= (across ? 16 : 1); apart /= 2) x += __shfl_xor_sync(~0u, x, apart);
    return x;
  }
};
#else
template <bool across>
struct WarpSums {
  static bool publishes() { return true; }
  static int most(int x) { return x; }
  static int least(int x) { return x; }
  static unsigned sum(unsigned x) { return x; }
  static unsigned long long sum(unsigned long long x) { return x; }
};
#endif

// across: neighbouring threads take neighbouring vectors, else neighbouring terms of one.
template <int parts, int vectors, int lanes, bool across>
struct ScanThread {
  using Sums = WarpSums<across>;
  static constexpr int threads = vectors * lanes, at_once = 8 / parts;
  static constexpr int kept_words = (across ? 8 : 16) / parts;  // of a thread and part: the first ones, as many as registers allow
  static constexpr unsigned kept_terms = lanes * kept_words;
  static constexpr unsigned round_terms = lanes * (252 - kept_words);  // until a thread's counts of a byte might overflow
  const ScanParams& p;
  ScanShared<vectors>& shared;
  const int thread, place, lane;  // place: of the thread's vector in the block
  const unsigned vector;
  double kept[parts][kept_words];

  __device__ __forceinline__ ScanThread(const ScanParams& params, ScanShared<vectors>& shared_by_block, unsigned block, unsigned thread_of_block)
      : p(params),
        shared(shared_by_block),
        thread(static_cast<int>(thread_of_block)),
        place(across ? thread % vectors : thread / lanes),
        lane(across ? thread / vectors : thread % lanes),
        vector(block * vectors + static_cast<unsigned>(place)) {}

  __device__ __forceinline__ void clear() const {
    for (int i = thread; i < vectors; i += threads) {
      for (int part = 0; part < 2; ++part) shared.top[part][i] = AB_NO_TOP, shared.low[part][i] = AB_NO_LOW, shared.sizes[part][i] = 0;
      shared.least[i] = AB_NO_LOW, shared.odd[i] = 0, shared.squares[i] = 0;
    }
    for (int i = thread; i < 2 * vectors * (profile_bins + 1); i += threads) (&shared.counts[0][0][0])[i] = 0;
    for (int i = thread; i < 2 * profile_bins; i += threads) shared.profile[i] = 0xFFFFFFFFu;
  }

  // The thread's words from term k on, all loads at once; zeros from `end` on.
  template <int count>
  __device__ __forceinline__ void load(double (&x)[parts][count], unsigned k, unsigned end) const {
    const long first = static_cast<long>(vector) * p.p.v.vector_stride;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const unsigned term = k + static_cast<unsigned>(i * lanes);
#pragma unroll
      for (int part = 0; part < parts; ++part) x[part][i] = 0;
      if (vector >= p.p.v.vectors || term >= end) continue;
      const long at = first + static_cast<long>(term) * p.p.v.inner_stride;
      if (parts == 2 && p.loads == Loads::Pairs) {
        const double2 both = *reinterpret_cast<const double2*>(p.re + at);
        x[0][i] = both.x, x[parts - 1][i] = both.y;
      } else {
        x[0][i] = p.re[at];
        if (parts == 2) x[parts - 1][i] = p.im[at];
      }
    }
  }
  template <int count, class Use>
  static __device__ __forceinline__ void for_each(const double (&x)[parts][count], const Use& use) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
#pragma unroll
      for (int part = 0; part < parts; ++part) use(ScanWord(x[part][i]), part);
    }
  }
  // Calls use(word, part) for the thread's words among the terms from `begin` to `end`.
  template <class Use>
  __device__ __forceinline__ void for_words(unsigned begin, unsigned end, const Use& use) const {
    for (unsigned k = begin + static_cast<unsigned>(lane); k < end; k += at_once * lanes) {
      double x[parts][at_once];
      load(x, k, end);
      for_each(x, use);
    }
  }

  __device__ __forceinline__ void look() {
    int top[2] = {AB_NO_TOP, AB_NO_TOP}, low[2] = {AB_NO_LOW, AB_NO_LOW}, least = AB_NO_LOW, odd = 0;
    const auto look_at = [&](const ScanWord& x, int part) {
      if (x.is_zero()) return;
      const int exponent = x.exponent(), bottom = x.lowest_bit();
      top[part] = exponent > top[part] ? exponent : top[part];
      least = exponent < least ? exponent : least;
      low[part] = bottom < low[part] ? bottom : low[part];
      odd |= x.field() == 2047 ? 1 : 0;
    };
    load(kept, static_cast<unsigned>(lane), p.p.v.inner);
    for_each(kept, look_at);
    for_words(kept_terms, p.p.v.inner, look_at);
    least = Sums::least(least), odd = Sums::most(odd);
    for (int part = 0; part < parts; ++part) top[part] = Sums::most(top[part]), low[part] = Sums::least(low[part]);
    if (!Sums::publishes()) return;
    atomicMin(&shared.least[place], least);
    atomicOr(&shared.odd[place], static_cast<unsigned>(odd));
    for (int part = 0; part < parts; ++part) atomicMax(&shared.top[part][place], top[part]), atomicMin(&shared.low[part][place], low[part]);
  }

  // Eight bins a register pair, a byte each, to the block's counts; bins from `first` on.
  __device__ __forceinline__ void add_counts(ulong counted, int part, int first) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const unsigned word = static_cast<unsigned>(counted >> (32 * half));
      const unsigned even = Sums::sum(word & 0x00FF00FFu), odd = Sums::sum(word >> 8 & 0x00FF00FFu);
      if (!Sums::publishes()) continue;
      unsigned* const to = &shared.counts[part][place][first + 4 * half];
      if ((even & 0xFFFFu) != 0) atomicAdd(to, even & 0xFFFFu);
      if ((odd & 0xFFFFu) != 0) atomicAdd(to + 1, odd & 0xFFFFu);
      if (even >> 16 != 0) atomicAdd(to + 2, even >> 16);
      if (odd >> 16 != 0) atomicAdd(to + 3, odd >> 16);
    }
  }
  __device__ __forceinline__ void count() const {
    int largest = shared.top[0][place];
    if (parts == 2 && shared.top[1][place] > largest) largest = shared.top[1][place];
    unsigned long long squares = 0, sizes[2] = {0, 0};
    ulong first[2] = {0, 0}, second[2] = {0, 0};
    const auto count_it = [&](const ScanWord& x, int part) {
      if (x.is_zero()) return;
      const Sized s = sized(x, largest - x.exponent());
      sizes[part] += s.q;
      squares += static_cast<unsigned long long>(s.q) * s.q;
      if (s.bin < 8) {
        first[part] += 1ul << (8 * s.bin);
      } else if (s.bin < 16) {
        second[part] += 1ul << (8 * s.bin - 64);
      } else if (s.bin < profile_bins) {
        atomicAdd(&shared.counts[part][place][s.bin], 1u);
      }
    };
    for_each(kept, count_it);
    unsigned begin = kept_terms;
    do {
      const unsigned left = p.p.v.inner > begin ? p.p.v.inner - begin : 0, round = left < round_terms ? left : round_terms;
      for_words(begin, begin + round, count_it);
      for (int part = 0; part < parts; ++part) {
        add_counts(first[part], part, 0);
        add_counts(second[part], part, 8);
        first[part] = second[part] = 0;
      }
      begin += round;
    } while (begin < p.p.v.inner);
    squares = Sums::sum(squares);
    for (int part = 0; part < parts; ++part) sizes[part] = Sums::sum(sizes[part]);
    if (!Sums::publishes()) return;
    atomicAdd(&shared.squares[place], squares);
    for (int part = 0; part < parts; ++part) atomicAdd(&shared.sizes[part][place], sizes[part]);
  }

  __device__ __forceinline__ void write_record() const {
    if (lane != 0 || vector >= p.p.v.vectors) return;
    int largest = shared.top[0][place];
    if (parts == 2 && shared.top[1][place] > largest) largest = shared.top[1][place];
    const bool zero = largest == AB_NO_TOP;
    kernels::vector_record r;
    r.S = shared.squares[place];
    r.R_re = shared.sizes[0][place];
    r.R_im = shared.sizes[1][place];
    r.spare = 0;
    r.E = zero ? 0 : largest;
    r.nmin = zero ? 0 : shared.least[place];
    r.L = kernels::bits64(r.S);
    r.flags = (zero ? AB_RECORD_ZERO : 0u) | (shared.odd[place] != 0 ? AB_RECORD_NONFINITE : 0u);
    r.low_re = shared.low[0][place];
    r.low_im = shared.low[1][place];
    r.top_re = shared.top[0][place];
    r.top_im = shared.top[1][place];
    p.records[p.p.first_record + vector] = r;
    shared.bin_shift[place] = zero ? -1 : 2 * ((r.L + 1) / 2 - 14);  // 2 (G - E)
  }
  __device__ __forceinline__ void find_profile() const {
    for (int i = thread; i < vectors * parts * profile_bins; i += threads) {
      const int of = i / (parts * profile_bins), part = i / profile_bins % parts, bin = i % profile_bins;
      const bool exists = vector - static_cast<unsigned>(place) + static_cast<unsigned>(of) < p.p.v.vectors;
      if (!exists || shared.bin_shift[of] < 0) continue;
      unsigned count = 0;
#pragma unroll 8
      for (int from = 0; from <= bin - shared.bin_shift[of]; ++from) count += shared.counts[part][of][from];
      atomicMin(&shared.profile[part * profile_bins + bin], count);
    }
  }
  __device__ __forceinline__ void publish_profile() const {
    for (int i = thread; i < parts * profile_bins; i += threads) {
      // Most blocks lower nothing: they only look, and what they see may only be too large.
      if (shared.profile[i] < p.profile[i]) atomicMin(&p.profile[i], shared.profile[i]);
    }
  }
};

template <int parts, int vectors, int lanes, bool across>
__device__ __forceinline__ void scan(const ScanParams& p) {
  __shared__ ScanShared<vectors> shared;
  ScanThread<parts, vectors, lanes, across> thread(p, shared, blockIdx.x, threadIdx.x);
  thread.clear();
  __syncthreads();
  thread.look();
  __syncthreads();
  thread.count();
  __syncthreads();
  thread.write_record();
  __syncthreads();
  thread.find_profile();
  __syncthreads();
  thread.publish_profile();
}

}  // namespace ab::device::cuda::native
