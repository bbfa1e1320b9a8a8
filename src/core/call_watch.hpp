// SPDX-License-Identifier: MIT
// What a recorded call says of itself while it runs: its stages (spec 8.3), what it copies, what it reads in place.
#pragma once
#include <array>
#include <cstdint>

#include "core/types.hpp"

namespace ab {

enum class Stage { Stage, Scan, Plan, Residues, Pack, Multiply, Reconstruct, Unpack, Fetch, Host, Count };

constexpr const char* word_of(Stage stage) {
  constexpr const char* words[] = {"stage", "scan", "plan", "residues", "pack", "multiply", "reconstruct", "unpack", "fetch", "host"};
  return words[static_cast<std::size_t>(stage)];
}

using StageTimes = std::array<std::uint64_t, static_cast<std::size_t>(Stage::Count)>;  // ns

/// Listens to the call that its thread runs (ThreadState::watch). Without one nothing is measured.
class CallWatch {
 public:
  /// A stage that the device has finished; monotonic_ns.
  virtual void ended(Stage stage, std::uint64_t start_ns, std::uint64_t end_ns) noexcept = 0;
  virtual void copied_in(Index bytes) noexcept = 0;  // to the device
  virtual void copied_out(Index bytes) noexcept = 0;
  virtual void read_in_place(char operand) noexcept = 0;  // 'a', 'b' or 'c'

 protected:
  ~CallWatch() = default;
};

}  // namespace ab
