// SPDX-License-Identifier: MIT
// Records and profiles of vectors as the host sees them (docs/numerics.md 5), and the shift a budget gives a record (6.1).
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "kernels/host.hpp"

namespace ab::numerics {

using Record = kernels::vector_record;  // 64 bytes; the very struct the scan kernel writes

inline constexpr int bin_count = 96;
/// F[h]: the fewest entries that any nonzero vector of the operand has in bins 0..h; all bits one when there is no nonzero vector.
using Profile = std::array<std::uint32_t, bin_count>;

class Stances;

/// One operand of one look: the records of its vectors, and its profiles, group by group and part by part:
/// profiles[group * parts + part]. A first look has one group, all inner indices.
struct Side {
  std::span<const Record> records;
  std::span<const Profile> profiles;
  Stances* stances = nullptr;  // of these records, kept for later guards (guard.hpp); null: not
};

// Called for every vector of every product: inline.
inline bool is_zero(const Record& record) {
  return (record.flags & AB_RECORD_ZERO) != 0;
}
inline bool is_finite(const Record& record) {
  return (record.flags & AB_RECORD_NONFINITE) == 0;
}
/// sigma or tau: 14 - E + floor((b - 1 - L) / 2); 0 for a zero vector.
inline int shift_of(const Record& record, int budget) {
  return kernels::shift_of_record(record.E, record.L, record.flags, budget);
}

}  // namespace ab::numerics
