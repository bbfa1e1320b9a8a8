// SPDX-License-Identifier: MIT
// The lines of AB_TRACE (spec 8.3): Chrome trace events in JSON, one a line. Numbers do not depend on the program's locale.
#pragma once
#include <cstdint>
#include <string>

#include "core/call_watch.hpp"
#include "core/settings.hpp"
#include "report/call.hpp"
#include "report/facts.hpp"

namespace ab::report {

struct TraceProcess {
  std::string program;
  long process_id = 0;
  std::uint64_t start_ns = 0;  // monotonic clock: ts 0
  std::uint64_t unix_ns = 0;   // wall clock at ts 0
};

/// When a call or a stage of it ran, on the monotonic clock, and the call's place in the order of starts.
struct Span {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t sequence = 0;
};

/// The lines before the first event: "[", the process, the library.
std::string trace_opening(const TraceProcess& process, const Facts& facts, const Settings& settings);

/// One complete event of category blas, handle or device_buffer, by the call's api.
std::string trace_event(const TraceProcess& process, const Call& call, const Span& span, long thread_id);

/// One complete event of category stage.
std::string stage_event(const TraceProcess& process, Stage stage, const Span& span, long thread_id);

/// The last event and the line that make the file strict JSON.
std::string trace_closing(const TraceProcess& process);

}  // namespace ab::report
