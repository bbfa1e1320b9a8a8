// SPDX-License-Identifier: MIT
// Counters of calls, one set per thread, so that recording takes no lock; merged when a report is written.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/call_watch.hpp"
#include "report/call.hpp"
#include "report/profile.hpp"

namespace ab::report {

struct LedgerLine {  // calls of one routine that ran the same way for the same reason
  const char* routine = "";
  Engine engine = Engine::None;
  Method method = Method::Trivial;
  Reason reason = Reason::None;
  std::uint64_t calls = 0;
  std::uint64_t elapsed_ns = 0;
  double flops = 0;                   // 2mnk real, 8mnk complex
  std::uint64_t m = 0, n = 0, k = 0;  // sums
};

struct Totals {
  std::vector<LedgerLine> lines;  // by routine, then most calls first
  std::uint64_t calls = 0;
  std::uint64_t elapsed_ns = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(Reason::Count)> declines{};  // by reason of the fallback
  StageTimes stage_ns{};
  std::uint64_t escalations = 0;
};

/// Adds a completed call to the calling thread's counters. What cannot be counted for want of memory is left out.
void count_call(const Call& call, std::uint64_t elapsed_ns, const StageTimes& stages = {}) noexcept;
/// The same for the profile.
void count_in_profile(const Call& call, std::uint64_t elapsed_ns) noexcept;

/// The sum over all threads, also those that have ended. Other threads may go on counting.
Totals totals();

/// What count_in_profile has counted, the routine with most time first.
std::vector<ProfileLine> profile();

/// Sets of counters that exist: as many as threads have counted at once, however many there have been.
std::size_t ledger_count() noexcept;

/// In a forked child: the parent's calls are not the child's.
void forget_calls() noexcept;

}  // namespace ab::report
