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

#include "report/output.hpp"

namespace ab::report {
namespace {

struct OpenTrace {
  int descriptor;
  TraceProcess process;
};

enum class Stage { Untried, Opening, Open, Off };
constinit std::atomic<Stage> stage{Stage::Untried};
constinit std::atomic<const OpenTrace*> the_trace{nullptr};  // kept after closing: a thread may be about to write

void give_up(const char* reason) {
  if (stage.exchange(Stage::Off) != Stage::Off)
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
  fresh->process = {program_name(), static_cast<long>(getpid()), monotonic_ns(), wall_clock_ns()};
  fresh->descriptor = create_output(chosen.trace_path, fresh->process.process_id);
  if (fresh->descriptor < 0 || !append_whole(fresh->descriptor, trace_opening(fresh->process, known_facts(), chosen))) {
    give_up(std::strerror(errno));
    return false;
  }
  the_trace.store(fresh.release(), std::memory_order_release);
  stage.store(Stage::Open, std::memory_order_release);
  return true;
}

}  // namespace

bool open_trace() noexcept {
  Stage now = stage.load(std::memory_order_acquire);
  if (now == Stage::Open || now == Stage::Off) return now == Stage::Open;
  if (settings().trace_path.empty()) return false;
  if (now == Stage::Untried && stage.compare_exchange_strong(now, Stage::Opening)) {
    try {
      return create_trace();
    } catch (...) {  // out of memory
      stage.store(Stage::Off);
      return false;
    }
  }
  while (stage.load(std::memory_order_acquire) == Stage::Opening) std::this_thread::yield();
  return stage.load(std::memory_order_acquire) == Stage::Open;
}

void write_event(const Call& call, const Span& span) noexcept {
  const OpenTrace* trace = the_trace.load(std::memory_order_acquire);
  if (trace == nullptr || stage.load(std::memory_order_acquire) != Stage::Open) return;
  try {
    if (!append_whole(trace->descriptor, trace_event(trace->process, call, span, thread_id()))) give_up(std::strerror(errno));
  } catch (...) {  // out of memory: this event is lost, the program is not disturbed
  }
}

void close_trace() noexcept {
  if (stage.exchange(Stage::Off) != Stage::Open) return;
  const OpenTrace* trace = the_trace.load(std::memory_order_acquire);
  try {
    append_whole(trace->descriptor, trace_closing(trace->process));
  } catch (...) {  // readers accept a file without its end
  }
}

void forget_trace() noexcept {
  if (const OpenTrace* trace = the_trace.exchange(nullptr)) ::close(trace->descriptor);
  // A failure was the parent's to report; the child's own file has the same fate, silently.
  if (stage.load() != Stage::Off) stage.store(Stage::Untried);
}

}  // namespace ab::report
