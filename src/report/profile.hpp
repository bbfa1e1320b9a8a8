// SPDX-License-Identifier: MIT
// What AB_PROFILE counts of the calls of one routine (spec 8.4): shapes and times, also by size.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "report/call.hpp"

namespace ab::report {

constexpr std::array<Index, 7> profile_bins{32, 128, 512, 1024, 2048, 4096, 8192};  // largest max(m,n) of a bin; one more for the rest
constexpr std::size_t bin_count = profile_bins.size() + 1;

/// The bin of an m x n result.
std::size_t bin_of(Index m, Index n);

struct ProfileLine {
  const char* routine = "";
  std::uint64_t calls = 0;
  std::uint64_t elapsed_ns = 0;
  std::uint64_t device_calls = 0;
  std::array<Index, 3> most{};         // m, n, k
  std::array<std::uint64_t, 3> sum{};  // m, n, k
  std::array<std::uint64_t, bin_count> bin_calls{};
  std::array<std::uint64_t, bin_count> bin_ns{};
};

/// For people: a line a routine, then two lines of its histogram. "" without calls.
std::string profile_text(const std::vector<ProfileLine>& lines, const std::string& program, long process_id);
/// The JSON of AB_PROFILE_JSON, in one line.
std::string profile_json(const std::vector<ProfileLine>& lines, long process_id);

}  // namespace ab::report
