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

#include "core/process.hpp"
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

void write_report(const Settings& chosen) {
  const Totals calls = totals();
  if (calls.calls == 0 && (chosen.report_path.empty() || is_forked_child())) return;
  const std::string text = report_text(calls, known_facts(), chosen, program_name(), static_cast<long>(getpid()));
  if (chosen.report_path.empty()) {
    write_whole(STDERR_FILENO, text);
    return;
  }
  const int descriptor = create_output(chosen.report_path, static_cast<long>(getpid()));
  if (descriptor < 0 || !write_whole(descriptor, text)) {
    warn("AB_REPORT=\"" + chosen.report_path + "\" cannot be written (" + std::strerror(errno) + "); no report");
  }
  if (descriptor >= 0) ::close(descriptor);
}

void finish() noexcept {
  if (finished.exchange(true)) return;
  try {
    if (settings().report) write_report(settings());
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

Span begin_call() noexcept {
  if (!armed.load(std::memory_order_relaxed)) arm();
  open_trace();  // before the clock is read: the first call starts at ts 0 or after it
  return {.start_ns = monotonic_ns(), .end_ns = 0, .sequence = last_sequence.fetch_add(1, std::memory_order_relaxed) + 1};
}

void end_call(Span span, const Call& call) noexcept {
  span.end_ns = monotonic_ns();
  if (settings().report) count_call(call, span.end_ns - span.start_ns);
  write_event(call, span);
}

}  // namespace ab::report
