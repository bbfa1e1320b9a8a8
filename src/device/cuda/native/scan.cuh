// SPDX-License-Identifier: MIT
// Records and profiles of vectors without inner exponents (docs/numerics.md 5), bit for bit those of kernels/scan.k. A block scans some
// vectors in two passes: exponents, then sizes relative to the largest. What registers hold of the first pass is not loaded again for the
// second. The steps of a thread are apart, a barrier between any two. Each pass has a way of few instructions for the words that most
// vectors are made of, and one for all.
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
// Over the threads of a warp with the same vector, which are `apart` from one another. Then one of them publishes.
template <int apart>
struct WarpSums {
  static __device__ __forceinline__ bool publishes() { return threadIdx.x % 32 < apart; }
  template <class T, class Op>
  static __device__ __forceinline__ T over_all(T x, const Op& op) {
#pragma unroll
    for (int distance = 16; distance >= apart; distance /= 2) x = op(x, __shfl_xor_sync(~0u, x, distance));
    return x;
  }
  static __device__ __forceinline__ int most(int x) {
    return apart == 1 ? __reduce_max_sync(~0u, x) : over_all(x, [](int a, int b) { return max(a, b); });
  }
  static __device__ __forceinline__ int least(int x) {
    return apart == 1 ? __reduce_min_sync(~0u, x) : over_all(x, [](int a, int b) { return min(a, b); });
  }
  static __device__ __forceinline__ unsigned sum(unsigned x) {
    return apart == 1 ? __reduce_add_sync(~0u, x) : over_all(x, [](unsigned a, unsigned b) { return a + b; });
  }
  static __device__ __forceinline__ unsigned long long sum(unsigned long long x) {
    return over_all(x, [](unsigned long long a, unsigned long long b) { return a + b; });
  }
};
#else
template <int apart>
struct WarpSums {
  static bool publishes() { return true; }
  static int most(int x) { return x; }
  static int least(int x) { return x; }
  static unsigned sum(unsigned x) { return x; }
  static unsigned long long sum(unsigned long long x) { return x; }
};
#endif

// What a thread has seen of its words' exponents.
struct Exponents {
  int top[2] = {AB_NO_TOP, AB_NO_TOP}, low[2] = {AB_NO_LOW, AB_NO_LOW}, least = AB_NO_LOW, odd = 0;
  __device__ __forceinline__ void look_at(const ScanWord& x, int part) {
    if (x.is_zero()) return;
    const int exponent = x.exponent(), bottom = x.lowest_bit();
    top[part] = exponent > top[part] ? exponent : top[part];
    least = exponent < least ? exponent : least;
    low[part] = bottom < low[part] ? bottom : low[part];
    odd |= x.field() == 2047 ? 1 : 0;
  }
};

// The same of words that are normal numbers with a bit in the lower half: upper halves are compared as they are.
struct UsualExponents {
  unsigned most[2] = {0, 0}, fewest = ~0u, fewest_low = ~0u;
  int bottom[2] = {AB_NO_LOW, AB_NO_LOW};
  __device__ __forceinline__ void look_at(const ScanWord& x, int part) {
    most[part] = x.high > most[part] ? x.high : most[part];
    fewest = x.high < fewest ? x.high : fewest;
    fewest_low = x.low < fewest_low ? x.low : fewest_low;
    const int lowest = static_cast<int>(x.high >> 20) + __popc(~x.low & (x.low - 1u));
    bottom[part] = lowest < bottom[part] ? lowest : bottom[part];
  }
  template <int parts>
  __device__ __forceinline__ bool hold() const {
    constexpr unsigned infinity = 0x7FF00000u, least_normal = 0x00100000u;
    return fewest >= least_normal && fewest_low != 0 && most[0] < infinity && most[parts - 1] < infinity;
  }
  template <int parts>
  __device__ __forceinline__ Exponents exponents() const {
    Exponents e;
    for (int part = 0; part < parts; ++part) {
      e.top[part] = static_cast<int>(most[part] >> 20) - 1023;
      e.low[part] = bottom[part] - 1075;
    }
    e.least = static_cast<int>(fewest >> 20) - 1023;
    return e;
  }
};

// How many entries a thread has seen in the sixteen uppermost bins: half a byte each for a few words, then a byte.
struct UpperBins {
  ulong few = 0, even = 0, odd = 0;
  __device__ __forceinline__ void add(int bin) { few += 1ul << (4 * bin); }
  __device__ __forceinline__ void gather() {  // after 15 words at most
    constexpr ulong every_other = 0x0F0F0F0F0F0F0F0Ful;
    even += few & every_other, odd += few >> 4 & every_other, few = 0;
  }
};

// across: neighbouring threads take neighbouring vectors, else neighbouring terms of one.
template <int parts, int vectors, int lanes, bool across>
struct ScanThread {
  using Sums = WarpSums<across ? vectors : 1>;
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
      if (parts == 2 && p.loads == Loads::Interleaved) {
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
  struct Nothing {
    __device__ __forceinline__ void operator()() const {}
  };
  // Calls use(word, part) for the thread's words among the terms from `begin` to `end`, and then() after some of them.
  template <class Use, class Then = Nothing>
  __device__ __forceinline__ void for_words(unsigned begin, unsigned end, const Use& use, const Then& then = {}) const {
    for (unsigned k = begin + static_cast<unsigned>(lane); k < end; k += at_once * lanes) {
      double x[parts][at_once];
      load(x, k, end);
      for_each(x, use);
      then();
    }
  }

  // Calls use(word, part) for the first `count` words of the thread, which all threads have.
  template <class Use>
  __device__ __forceinline__ void for_whole(unsigned count, const Use& use) const {
#pragma unroll
    for (unsigned i = 0; i < kept_words; ++i) {
      if (i >= count) break;
#pragma unroll
      for (int part = 0; part < parts; ++part) use(ScanWord(kept[part][i]), part);
    }
    if (count > kept_words) for_words(kept_terms, count * lanes, use);
  }

  __device__ __forceinline__ void look() {
    load(kept, static_cast<unsigned>(lane), p.p.v.inner);
    const unsigned whole = vector < p.p.v.vectors ? p.p.v.inner / lanes : 0;
    UsualExponents usual;
    for_whole(whole, [&](const ScanWord& x, int part) { usual.look_at(x, part); });
    Exponents seen;
    const auto look_at = [&](const ScanWord& x, int part) { seen.look_at(x, part); };
    unsigned rest = 0;
    if (whole > 0 && usual.hold<parts>()) seen = usual.exponents<parts>(), rest = whole * lanes;
    for_words(rest, p.p.v.inner, look_at);
    seen.least = Sums::least(seen.least), seen.odd = Sums::most(seen.odd);
    for (int part = 0; part < parts; ++part) seen.top[part] = Sums::most(seen.top[part]), seen.low[part] = Sums::least(seen.low[part]);
    if (!Sums::publishes()) return;
    atomicMin(&shared.least[place], seen.least);
    atomicOr(&shared.odd[place], static_cast<unsigned>(seen.odd));
    for (int part = 0; part < parts; ++part) {
      atomicMax(&shared.top[part][place], seen.top[part]);
      atomicMin(&shared.low[part][place], seen.low[part]);
    }
  }

  // A byte of every second bin, from `first` on, to the block's counts.
  __device__ __forceinline__ void add_counts(ulong counted, int part, int first) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const unsigned word = static_cast<unsigned>(counted >> (32 * half));
      const unsigned even = Sums::sum(word & 0x00FF00FFu), odd = Sums::sum(word >> 8 & 0x00FF00FFu);
      if (!Sums::publishes()) continue;
      unsigned* const to = &shared.counts[part][place][first + 8 * half];
      if ((even & 0xFFFFu) != 0) atomicAdd(to, even & 0xFFFFu);
      if ((odd & 0xFFFFu) != 0) atomicAdd(to + 2, odd & 0xFFFFu);
      if (even >> 16 != 0) atomicAdd(to + 4, even >> 16);
      if (odd >> 16 != 0) atomicAdd(to + 6, odd >> 16);
    }
  }
  __device__ __forceinline__ int largest_exponent() const {
    const int re = shared.top[0][place], im = shared.top[parts - 1][place];
    return re > im ? re : im;
  }
  __device__ __forceinline__ void count() const {
    constexpr int least_usual = -900;  // from here on 2^(14 - E) is a number, and all subnormals are below the last bin
    const int largest = largest_exponent();
    const bool usual = largest >= least_usual && largest <= 1023;
    const double factor = __hiloint2double((usual ? 14 - largest + 1023 : 0) << 20, 0);
    unsigned long long squares = 0, sizes[2] = {0, 0};
    UpperBins upper[parts];
    // ceil(|x| factor) is the low word of its sum with 2^52, both operations rounding up.
    const auto count_usual = [&](const ScanWord& x, int part) {
      const double size = __dmul_ru(__hiloint2double(static_cast<int>(x.high), static_cast<int>(x.low)), factor);
      count_one(static_cast<unsigned>(__double2loint(__dadd_ru(size, 4503599627370496.0))), 2 * (largest + 1023) + 1 - static_cast<int>(x.high >> 19),
                part, sizes[part], squares, upper[part]);
    };
    const auto count_any = [&](const ScanWord& x, int part) {
      if (x.is_zero()) return;
      const Sized s = sized(x, largest - x.exponent());
      count_one(s.q, s.bin, part, sizes[part], squares, upper[part]);
    };
    const auto gather = [&] {
      for (int part = 0; part < parts; ++part) upper[part].gather();
    };
    if (usual) {
      for_each_kept(count_usual, gather);
      count_from(kept_terms, count_usual, gather, upper);
    } else {
      count_from(0, count_any, gather, upper);
    }
    squares = Sums::sum(squares);
    for (int part = 0; part < parts; ++part) sizes[part] = Sums::sum(sizes[part]);
    if (!Sums::publishes()) return;
    atomicAdd(&shared.squares[place], squares);
    for (int part = 0; part < parts; ++part) atomicAdd(&shared.sizes[part][place], sizes[part]);
  }
  __device__ __forceinline__ void count_one(unsigned q, int bin, int part, unsigned long long& size, unsigned long long& squares,
                                            UpperBins& upper) const {
    size += q;
    squares += static_cast<unsigned long long>(q) * q;
    if (bin < 16) {
      upper.add(bin);
    } else if (bin < profile_bins) {
      atomicAdd(&shared.counts[part][place][bin], 1u);
    }
  }
  template <class Use, class Gather>
  __device__ __forceinline__ void for_each_kept(const Use& use, const Gather& gather) const {
#pragma unroll
    for (int i = 0; i < kept_words; ++i) {
#pragma unroll
      for (int part = 0; part < parts; ++part) use(ScanWord(kept[part][i]), part);
      if (i % 8 == 7 || i == kept_words - 1) gather();
    }
  }
  // Terms from `begin` on, round by round; what has been counted before joins the first.
  template <class Use, class Gather>
  __device__ __forceinline__ void count_from(unsigned begin, const Use& use, const Gather& gather, UpperBins (&upper)[parts]) const {
    do {
      const unsigned left = p.p.v.inner > begin ? p.p.v.inner - begin : 0, round = left < round_terms ? left : round_terms;
      for_words(begin, begin + round, use, gather);
      for (int part = 0; part < parts; ++part) {
        add_counts(upper[part].even, part, 0);
        add_counts(upper[part].odd, part, 1);
        upper[part].even = upper[part].odd = 0;
      }
      begin += round;
    } while (begin < p.p.v.inner);
  }

  __device__ __forceinline__ void write_record() const {
    if (lane != 0 || vector >= p.p.v.vectors) return;
    const int largest = largest_exponent();
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
