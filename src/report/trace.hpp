// SPDX-License-Identifier: MIT
// The file of AB_TRACE: one per process, opened at the first traced call, one append write per event.
#pragma once
#include "report/trace_text.hpp"

namespace ab::report {

/// The clock at the start of a call; the first one is ts 0 of the trace.
std::uint64_t start_of_call() noexcept;

/// Writes the event of a completed call, or of a stage of one. Nothing without AB_TRACE and after a failure, of which one warning tells.
/// The file is created at the first event: when the first call goes to a device, that is known by then.
void write_event(const Call& call, const Span& span) noexcept;
void write_stage(Stage stage, const Span& span) noexcept;

/// Writes the end of the file and closes it.
void close_trace() noexcept;

/// In a forked child: the parent's file is not the child's; its own is opened at its first traced call.
void forget_trace() noexcept;

}  // namespace ab::report
