// SPDX-License-Identifier: MIT
// When the report is written: by a handler of exit() that the first recorded call registers, so that it runs before the handlers of
// programs that close their streams. A file (AB_REPORT with a path) is promised to processes without any call too; for them the
// library's own end-of-process function writes it. Nothing at all happens at load.
#include "report/recording.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/clock.hpp"
#include "core/process.hpp"
#include "core/thread_state.hpp"
#include "report/facts.hpp"
#include "report/ledger.hpp"
#include "report/output.hpp"
#include "report/report_text.hpp"
#include "report/trace.hpp"

namespace ab::report {
namespace {

constinit std::atomic<bool> armed{false};
constinit std::atomic<bool> finished{false};
constinit std::atomic<std::uint64_t> last_sequence{0};
constinit std::atomic<Facts (*)()> facts_source{nullptr};

struct Output {
  const char* variable;  // that asks for it
  const std::string& path;
  const char* consequence;  // when it cannot be written
};

void write_file(const Output& output, const std::string& text) {
  const int descriptor = create_output(output.path, static_cast<long>(getpid()));
  if (descriptor < 0 || !write_whole(descriptor, text)) {
    warn(std::string(output.variable) + "=\"" + output.path + "\" cannot be written (" + std::strerror(errno) + "); " + output.consequence);
  }
  if (descriptor >= 0) ::close(descriptor);
}

void write_report(const Settings& chosen) {
  const Totals calls = totals();
  if (calls.calls == 0 && (chosen.report_path.empty() || is_forked_child())) return;
  const std::string text = report_text(calls, known_facts(), chosen, program_name(), static_cast<long>(getpid()));
  if (chosen.report_path.empty()) {
    write_whole(STDERR_FILENO, text);
    return;
  }
  write_file({"AB_REPORT", chosen.report_path, "no report"}, text);
}

void write_profile(const Settings& chosen) {
  const std::vector<ProfileLine> lines = profile();
  if (lines.empty()) return;
  const long process_id = static_cast<long>(getpid());
  if (chosen.profile) write_whole(STDERR_FILENO, profile_text(lines, program_name(), process_id));
  if (chosen.profile_json_path.empty()) return;
  write_file({"AB_PROFILE_JSON", chosen.profile_json_path, "no profile"}, profile_json(lines, process_id));
}

void finish() noexcept {
  if (finished.exchange(true)) return;
  try {
    if (settings().report) write_report(settings());
    if (profiling(settings())) write_profile(settings());
  } catch (...) {  // out of memory at exit: no report
  }
  close_trace();
}

void forget_parent() noexcept {
  finished.store(false);
  last_sequence.store(0);
  forget_calls();
  forget_trace();
}

void arm() noexcept {
  if (armed.exchange(true)) return;
  std::atexit([] { finish(); });
  pthread_atfork(nullptr, nullptr, [] { forget_parent(); });
}

[[gnu::destructor]] void end_of_process() {
  if (armed.load()) return finish();
  const char* asked = std::getenv("AB_REPORT");
  if (asked == nullptr || std::strchr(asked, '/') == nullptr) return;
  try {
    write_report(settings_for_exit());
  } catch (...) {  // as in finish
  }
}

}  // namespace

void set_facts_source(Facts (*source)()) noexcept {
  facts_source.store(source);
}

Facts known_facts() noexcept {
  Facts (*source)() = facts_source.load();
  try {
    return source != nullptr ? source() : Facts();
  } catch (...) {
    return {};
  }
}

Recording::Recording() noexcept : before_(thread_state().watch) {
  if (!armed.load(std::memory_order_relaxed)) arm();
  span_.start_ns = start_of_call();
  span_.sequence = last_sequence.fetch_add(1, std::memory_order_relaxed) + 1;
  thread_state().watch = this;
}

Recording::~Recording() {
  thread_state().watch = before_;
}

void Recording::end(const Call& call) noexcept {
  span_.end_ns = monotonic_ns();
  const Settings& chosen = settings();
  const std::uint64_t elapsed_ns = span_.end_ns - span_.start_ns;
  if (chosen.report) count_call(call, elapsed_ns, stages_);
  if (profiling(chosen) && elapsed_ns >= static_cast<std::uint64_t>(chosen.profile_threshold_ns)) count_in_profile(call, elapsed_ns);
  if (chosen.trace_path.empty()) return;
  try {
    Call described = call;
    described.bytes_in = bytes_in_;
    described.bytes_out = bytes_out_;
    described.in_place = in_place_.data();
    write_event(described, span_);
  } catch (...) {  // out of memory: this event is lost
  }
}

void Recording::ended(Stage stage, std::uint64_t start_ns, std::uint64_t end_ns) noexcept {
  stages_[static_cast<std::size_t>(stage)] += end_ns - start_ns;
  if (!settings().trace_path.empty()) write_stage(stage, {start_ns, end_ns, span_.sequence});
}

void Recording::read_in_place(char operand) noexcept {
  for (char& letter : in_place_) {
    if (letter == operand || &letter == &in_place_.back()) return;
    if (letter == 0) {
      letter = operand;
      return;
    }
  }
}

}  // namespace ab::report
