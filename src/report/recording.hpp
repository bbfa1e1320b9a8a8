// SPDX-License-Identifier: MIT
// Recording of calls for AB_REPORT, AB_PROFILE and AB_TRACE. A program that asks for none of them pays a few loads a call.
#pragma once
#include "core/settings.hpp"
#include "report/call.hpp"
#include "report/trace_text.hpp"

namespace ab::report {

inline bool profiling(const Settings& settings) noexcept {
  return settings.profile || !settings.profile_json_path.empty();
}

/// Does the environment ask that calls be recorded?
inline bool recording(const Settings& settings) noexcept {
  return settings.report || profiling(settings) || !settings.trace_path.empty();
}

/// A recorded call, from its start on: listens to its thread until it ends. What ends without `end` has failed and is not recorded.
class Recording final : public CallWatch {
 public:
  /// The first one of a process arranges for what is due at exit and after fork.
  Recording() noexcept;
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// The call is complete: counts it and writes its trace event, with what it was heard to copy and to read in place.
  void end(const Call& call) noexcept;

  void ended(Stage stage, std::uint64_t start_ns, std::uint64_t end_ns) noexcept override;
  void copied_in(Index bytes) noexcept override { bytes_in_ += bytes; }
  void copied_out(Index bytes) noexcept override { bytes_out_ += bytes; }
  void read_in_place(char operand) noexcept override;

 private:
  CallWatch* before_;
  Span span_;
  StageTimes stages_{};
  Index bytes_in_ = 0, bytes_out_ = 0;
  std::array<char, 4> in_place_{};  // letters in their order, and a NUL
};

}  // namespace ab::report
