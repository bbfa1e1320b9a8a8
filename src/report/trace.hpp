// SPDX-License-Identifier: MIT
// The file of AB_TRACE: one per process, opened at the first traced call, one append write per event.
#pragma once
#include "report/trace_text.hpp"

namespace ab::report {

/// True when events can be written; opens the file when it has not been tried yet. False without AB_TRACE and after a failure, of
/// which one warning tells.
bool open_trace() noexcept;

/// Writes the event of a completed call. Nothing when the trace is not open.
void write_event(const Call& call, const Span& span) noexcept;

/// Writes the end of the file and closes it.
void close_trace() noexcept;

/// In a forked child: the parent's file is not the child's; its own is opened at its first traced call.
void forget_trace() noexcept;

}  // namespace ab::report
