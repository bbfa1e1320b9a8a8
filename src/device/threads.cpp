// SPDX-License-Identifier: MIT
#include "device/threads.hpp"

#include <pthread.h>
#include <signal.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include "core/float_environment.hpp"
#include "core/process.hpp"
#include "core/signals.hpp"

#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace ab::device {
namespace {

// The system's oneTBB is not instrumented, so ThreadSanitizer does not see in what order its tasks run: this tells it.
class Handover {
 public:
#if defined(__SANITIZE_THREAD__)
  void give() {
    __tsan_release(this);
  }
  void take() {
    __tsan_acquire(this);
  }
#else
  void give() {}
  void take() {}
#endif
};

class Giving {
 public:
  explicit Giving(Handover& handover) : handover_(handover) {}
  ~Giving() { handover_.give(); }
  Giving(const Giving&) = delete;
  Giving& operator=(const Giving&) = delete;

 private:
  [[maybe_unused]] Handover& handover_;
};

class Taking {
 public:
  explicit Taking(Handover& handover) : handover_(handover) {}
  ~Taking() { handover_.take(); }
  Taking(const Taking&) = delete;
  Taking& operator=(const Taking&) = delete;

 private:
  [[maybe_unused]] Handover& handover_;
};

constexpr Index worth_sharing = 200000;  // inner operations below which waking a thread costs more than it saves (chosen)

// Signals are the program's: our workers block them all, so handlers run in threads of the program.
class SignalBlocker : public tbb::task_scheduler_observer {
 public:
  using tbb::task_scheduler_observer::task_scheduler_observer;
  void on_scheduler_entry(bool is_worker) override {
    if (!is_worker) return;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
  }
};

struct Workers {
  explicit Workers(int threads) : arena(threads), blocker(arena) {}
  void start(int threads) {
    blocker.observe(true);
    // A new thread has the signal mask of the one that makes it, and the scheduler makes threads when there is work for them.
    const AllSignalsBlocked blocked;
    arena.execute([&] { tbb::parallel_for(0, 16 * threads, [](int) {}); });
    work = true;
  }
  tbb::task_arena arena;
  SignalBlocker blocker;
  bool work = false;
};

Workers* make_workers(int threads) {
  Workers* made = nullptr;
  try {
    made = new Workers(threads);
    made->start(threads);
  } catch (const std::exception&) {
    // The system gives no memory or threads: calls compute in their own. What the scheduler could not finish stays as it is: oneTBB 2021.8
    // does not survive the end of an observer whose beginning failed.
  }
  return made;
}

// Never destroyed: calls may still be running in other threads when the process exits.
Workers* workers(int threads) {
  static Workers* const instance = make_workers(threads);
  return instance != nullptr && instance->work ? instance : nullptr;
}

}  // namespace

void share(Index count, Index work, int threads, const std::function<void(Index, Index)>& body) {
  if (count <= 0) return;
  const FloatEnvironment standard;  // the scheduler would lose the caller's flags on its way
  const bool alone = threads <= 1 || count == 1 || work < worth_sharing || is_forked_child();
  Workers* const shared = alone ? nullptr : workers(threads);
  if (shared == nullptr) {
    body(0, count);
    return;
  }
  const Index grain = count / (8 * threads) > 1 ? count / (8 * threads) : 1;
  static Handover arrival;  // a worker may run `run` for its caller: nothing of the caller's may be read before
  Handover start, end;
  const auto run = [&] {
    arrival.take();
    tbb::parallel_for(tbb::blocked_range<Index>(0, count, static_cast<std::size_t>(grain)), [&](const tbb::blocked_range<Index>& piece) {
      const FloatEnvironment standard_of_worker;
      start.take();
      const Giving done(end);  // when the body throws, too
      body(piece.begin(), piece.end());
    });
  };
  start.give();
  arrival.give();
  const Taking all_done(end);
  shared->arena.execute(run);
}

}  // namespace ab::device
