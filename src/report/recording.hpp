// SPDX-License-Identifier: MIT
// Recording of calls for AB_REPORT and AB_TRACE. A program that asks for neither pays two loads a call.
#pragma once
#include "core/settings.hpp"
#include "report/call.hpp"
#include "report/trace_text.hpp"

namespace ab::report {

/// Does the environment ask that calls be recorded?
inline bool recording(const Settings& settings) noexcept {
  return settings.report || !settings.trace_path.empty();
}

/// The start of a recorded call. The first one arranges for what is due at exit and after fork.
Span begin_call() noexcept;

/// The end of a recorded call: counts it and writes its trace event.
void end_call(Span span, const Call& call) noexcept;

}  // namespace ab::report
