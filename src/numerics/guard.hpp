// SPDX-License-Identifier: MIT
// The certificates G0, G1, G2 of one look (docs/numerics.md 8.1 to 8.4); what does not depend on the budget is computed once.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "numerics/plan.hpp"

namespace ab::numerics {

__extension__ using Wide = unsigned __int128;

inline constexpr std::int64_t no_certificate = std::int64_t{1} << 62;

/// Lambda (8.4): the smallest alignment of two profiles over `inner` indices, in units of 2^-96; below 2^96 for profiles of a
/// scan. Neither profile may be that of a side without nonzero vectors (all bits one).
Wide rearranged(const Profile& left, const Profile& right, Index inner);

/// One operand under one budget (8.1).
struct Stance {
  std::array<bool, 2> inexact{};  // by part: some entry is not an integer after scaling
  std::array<Wide, 2> sum{};      // U: bounds the 1-norms of the part
  int height = 0;                 // H: bin weights times 2^H bound scaled entries from below
  std::optional<int> smallest;    // g; none: infinite
};
Stance stance_of(const Side& side, int parts, int budget);

/// Stances of one side that were asked for, by budget. Thread-safe without a lock, so that a fork leaves it whole.
class Stances {
 public:
  Stance of(const Side& side, int parts, int index);  // index: of the budget in `ladder`

 private:
  enum State { Empty, BeingWritten, Written };
  struct Kept {
    std::atomic<State> state = Empty;
    Stance stance;
  };
  std::array<Kept, ladder.size()> kept_;
};

class Guard {
 public:
  /// Keeps a reference: `look` must outlive the guard.
  explicit Guard(const Look& look);
  /// As `certify` of plan.hpp.
  Rung certify(int index);

 private:
  Wide alignment(int left_part, int right_part);
  std::int64_t rearrangement_bound(const Stance& left, const Stance& right);

  const Look& look_;
  bool alive_;                                  // both sides have a nonzero vector
  std::array<std::optional<Wide>, 4> aligned_;  // by pair of parts, once asked for
};

}  // namespace ab::numerics
