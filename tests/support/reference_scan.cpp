// SPDX-License-Identifier: MIT
#include "support/reference_scan.hpp"

#include <algorithm>
#include <limits>

namespace ab::test {
namespace {

/// ceil(|n| 2^(e + 14 - E))
std::uint64_t quantum(std::int64_t n, int shift) {
  const std::uint64_t m = static_cast<std::uint64_t>(n < 0 ? -n : n);
  if (shift >= 0) return m << shift;
  if (shift <= -63) return 1;
  return ((m - 1) >> -shift) + 1;
}

int bin_of(const Scanned& record, std::int64_t n, int exponent) {
  const std::uint64_t m = static_cast<std::uint64_t>(n < 0 ? -n : n);
  const int second = m > 1 ? static_cast<int>(m >> (std::bit_width(m) - 2) & 1) : 0;
  return 2 * (record.G - exponent) + 1 - second;
}

Decoded entry(const Vectors& vectors, Index at, int part, Index k, const InnerShift& shift) {
  Decoded d = decode(vectors.part(at, part)[k]);
  d.e += shift.at(k);
  return d;
}

}  // namespace

Scanned scan(const Vectors& vectors, Index v, const InnerShift& shift) {
  Scanned out;
  out.E = std::numeric_limits<int>::min();
  out.nmin = std::numeric_limits<int>::max();
  out.low.fill(AB_NO_LOW);
  out.top.fill(AB_NO_TOP);
  for (int p = 0; p < vectors.parts; ++p) {
    const std::size_t part = static_cast<std::size_t>(p);
    for (Index k = 0; k < vectors.inner; ++k) {
      const Decoded d = entry(vectors, v, p, k, shift);
      if (d.n == 0) continue;
      const int exponent = exponent_of(d);
      out.E = std::max(out.E, exponent);
      out.nmin = std::min(out.nmin, exponent);
      out.low[part] = std::min(out.low[part], d.e + std::countr_zero(static_cast<std::uint64_t>(d.n)));
      out.top[part] = std::max(out.top[part], exponent);
    }
  }
  if (out.nmin == std::numeric_limits<int>::max()) return Scanned{};
  out.zero = false;
  for (int p = 0; p < vectors.parts; ++p) {
    for (Index k = 0; k < vectors.inner; ++k) {
      const Decoded d = entry(vectors, v, p, k, shift);
      if (d.n == 0) continue;
      const std::uint64_t q = quantum(d.n, d.e + 14 - out.E);
      out.S += q * q;
      out.R[static_cast<std::size_t>(p)] += q;
    }
  }
  out.L = std::bit_width(out.S);
  out.G = out.E - 14 + (out.L + 1) / 2;
  for (int p = 0; p < vectors.parts; ++p) {
    std::vector<int>& bins = out.bins[static_cast<std::size_t>(p)];
    bins.assign(static_cast<std::size_t>(vectors.inner), 0);
    for (Index k = 0; k < vectors.inner; ++k) {
      const Decoded d = entry(vectors, v, p, k, shift);
      if (d.n != 0) bins[static_cast<std::size_t>(k)] = bin_of(out, d.n, exponent_of(d));
    }
  }
  return out;
}

std::vector<Scanned> scan_all(const Vectors& vectors, const InnerShift& shift) {
  std::vector<Scanned> out;
  for (Index v = 0; v < vectors.count; ++v) out.push_back(scan(vectors, v, shift));
  return out;
}

ReferenceProfile profile_of(std::span<const Scanned> side, int part, const Members& members) {
  ReferenceProfile out;
  out.fill(std::numeric_limits<std::uint32_t>::max());
  for (const Scanned& record : side) {
    if (record.zero) continue;
    std::array<std::uint32_t, reference_bins> histogram{};
    const std::vector<int>& bins = record.bins[static_cast<std::size_t>(part)];
    for (std::size_t k = 0; k < bins.size(); ++k) {
      if (bins[k] != 0 && bins[k] < reference_bins && members.has(static_cast<Index>(k))) ++histogram[static_cast<std::size_t>(bins[k])];
    }
    std::uint32_t count = 0;
    for (std::size_t h = 0; h < histogram.size(); ++h) {
      count += histogram[h];
      out[h] = std::min(out[h], count);
    }
  }
  return out;
}

std::vector<std::int32_t> peaks_of(const Vectors& vectors, std::span<const Scanned> side) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(vectors.inner), std::numeric_limits<std::int32_t>::min());
  for (Index v = 0; v < vectors.count; ++v) {
    for (int p = 0; p < vectors.parts; ++p) {
      for (Index k = 0; k < vectors.inner; ++k) {
        const Decoded d = decode(vectors.part(v, p)[k]);
        if (d.n == 0) continue;
        std::int32_t& peak = out[static_cast<std::size_t>(k)];
        peak = std::max(peak, exponent_of(d) - side[static_cast<std::size_t>(v)].E);
      }
    }
  }
  return out;
}

int reference_digits(const Scanned& scanned, int budget) {
  return (budget - 1 - scanned.L) / 2;
}

int reference_shift(const Scanned& scanned, int budget) {
  return scanned.zero ? 0 : 14 - scanned.E + reference_digits(scanned, budget);
}

kernels::vector_record record_of(const Vectors& vectors, Index v, const Scanned& scanned) {
  kernels::vector_record out{};
  if (!is_finite(vectors, v)) out.flags |= AB_RECORD_NONFINITE;
  if (scanned.zero) {
    out.flags |= AB_RECORD_ZERO;
    return out;
  }
  out.E = scanned.E, out.nmin = scanned.nmin, out.L = scanned.L, out.S = scanned.S;
  out.low_re = scanned.low[0], out.low_im = scanned.low[1];
  out.top_re = scanned.top[0], out.top_im = scanned.top[1];
  out.R_re = scanned.R[0], out.R_im = scanned.R[1];
  return out;
}

}  // namespace ab::test
