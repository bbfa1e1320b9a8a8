// SPDX-License-Identifier: MIT
// The judge's scan: records, profiles and peaks of vectors (docs/numerics.md 5, 8.6), written from the page, not from src/.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/host.hpp"
#include "support/call.hpp"

namespace ab::test {

inline constexpr int reference_bins = 96;

struct Scanned {
  bool zero = true;
  int E = 0, nmin = 0, L = 0, G = 0;
  std::uint64_t S = 0;
  std::array<std::uint64_t, 2> R{};
  std::array<int, 2> low{}, top{};       // AB_NO_LOW, AB_NO_TOP: no entry in the part
  std::array<std::vector<int>, 2> bins;  // by part: h of each entry, 0 for a zero
};

/// What is added to the exponents of the entries: sign * kappa[k]; an empty kappa adds nothing.
struct InnerShift {
  std::span<const std::int32_t> kappa;
  int sign = 1;
  int at(Index k) const { return kappa.empty() ? 0 : sign * kappa[static_cast<std::size_t>(k)]; }
};

Scanned scan(const Vectors& vectors, Index v, const InnerShift& shift);
std::vector<Scanned> scan_all(const Vectors& vectors, const InnerShift& shift = {});

/// Inner indices that a profile counts: those with group[k] == number; all when `group` is empty.
struct Members {
  std::span<const std::int32_t> group;
  int number = 0;
  bool has(Index k) const { return group.empty() || group[static_cast<std::size_t>(k)] == number; }
};
using ReferenceProfile = std::array<std::uint32_t, reference_bins>;  // all bits one: no nonzero vector
ReferenceProfile profile_of(std::span<const Scanned> side, int part, const Members& members);

/// max of ex - E per inner index over vectors and parts; INT32_MIN where there is no entry.
std::vector<std::int32_t> peaks_of(const Vectors& vectors, std::span<const Scanned> side);

int reference_digits(const Scanned& scanned, int budget);
int reference_shift(const Scanned& scanned, int budget);

/// The records and profiles as the scan kernel hands them over: what the plan of src/numerics is fed with in tests.
kernels::vector_record record_of(const Vectors& vectors, Index v, const Scanned& scanned);

}  // namespace ab::test
