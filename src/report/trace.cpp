// SPDX-License-Identifier: MIT
#include "report/trace.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <thread>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "core/clock.hpp"
#include "report/output.hpp"

namespace ab::report {
namespace {

struct OpenTrace {
  int descriptor;
  TraceProcess process;
};

enum class State { Untried, Opening, Open, Off };
constinit std::atomic<State> state{State::Untried};
constinit std::atomic<std::uint64_t> first_start_ns{0};      // 0: no call yet
constinit std::atomic<const OpenTrace*> the_trace{nullptr};  // kept after closing: a thread may be about to write

void give_up(const char* reason) {
  if (state.exchange(State::Off) != State::Off)
    warn("AB_TRACE=\"" + settings().trace_path + "\" cannot be written (" + reason + "); tracing is off");
}

long thread_id() noexcept {
#if defined(__linux__)
  return syscall(SYS_gettid);
#else
  std::uint64_t id = 0;
  pthread_threadid_np(nullptr, &id);
  return static_cast<long>(id);
#endif
}

std::uint64_t wall_clock_ns() noexcept {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

bool create_trace() {
  const Settings& chosen = settings();
  auto fresh = std::make_unique<OpenTrace>();
  const std::uint64_t start_ns = first_start_ns.load(), since_start_ns = monotonic_ns() - start_ns;
  fresh->process = {program_name(), static_cast<long>(getpid()), start_ns, wall_clock_ns() - since_start_ns};
  fresh->descriptor = create_output(chosen.trace_path, fresh->process.process_id);
  if (fresh->descriptor < 0 || !append_whole(fresh->descriptor, trace_opening(fresh->process, known_facts(), chosen))) {
    give_up(std::strerror(errno));
    return false;
  }
  the_trace.store(fresh.release(), std::memory_order_release);
  state.store(State::Open, std::memory_order_release);
  return true;
}

// True when events can be written; creates the file when that has not been tried yet.
bool open_trace() {
  State now = state.load(std::memory_order_acquire);
  if (now == State::Open || now == State::Off) return now == State::Open;
  if (settings().trace_path.empty()) return false;
  if (now == State::Untried && state.compare_exchange_strong(now, State::Opening)) {
    try {
      return create_trace();
    } catch (...) {  // out of memory
      state.store(State::Off);
      return false;
    }
  }
  while (state.load(std::memory_order_acquire) == State::Opening) std::this_thread::yield();
  return state.load(std::memory_order_acquire) == State::Open;
}

template <class Text>
void write_line(const Text& text) noexcept {
  try {
    if (!open_trace()) return;
    const OpenTrace* trace = the_trace.load(std::memory_order_acquire);
    if (trace != nullptr && !append_whole(trace->descriptor, text(trace->process))) give_up(std::strerror(errno));
  } catch (...) {  // out of memory: this event is lost, the program is not disturbed
  }
}

}  // namespace

std::uint64_t start_of_call() noexcept {
  std::uint64_t none = 0;
  if (first_start_ns.load(std::memory_order_relaxed) == 0) first_start_ns.compare_exchange_strong(none, monotonic_ns());
  return monotonic_ns();
}

void write_event(const Call& call, const Span& span) noexcept {
  write_line([&](const TraceProcess& process) { return trace_event(process, call, span, thread_id()); });
}

void write_stage(Stage stage, const Span& span) noexcept {
  write_line([&](const TraceProcess& process) { return stage_event(process, stage, span, thread_id()); });
}

void close_trace() noexcept {
  if (state.exchange(State::Off) != State::Open) return;
  const OpenTrace* trace = the_trace.load(std::memory_order_acquire);
  try {
    append_whole(trace->descriptor, trace_closing(trace->process));
  } catch (...) {  // readers accept a file without its end
  }
}

void forget_trace() noexcept {
  first_start_ns.store(0);
  if (const OpenTrace* trace = the_trace.exchange(nullptr)) ::close(trace->descriptor);
  // A failure was the parent's to report; the child's own file has the same fate, silently.
  if (state.load() != State::Off) state.store(State::Untried);
}

}  // namespace ab::report
