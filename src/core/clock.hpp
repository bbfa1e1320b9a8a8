// SPDX-License-Identifier: MIT
// The clock of statistics, reports and traces.
#pragma once
#include <cstdint>
#include <ctime>

namespace ab {

/// Nanoseconds on a clock that nobody sets.
inline std::uint64_t monotonic_ns() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace ab
