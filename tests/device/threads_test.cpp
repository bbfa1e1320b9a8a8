// SPDX-License-Identifier: MIT
#include "device/threads.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace ab::device {
namespace {

constexpr Index plenty = Index{1} << 40;

TEST(Threads, EveryPieceIsDoneOnce) {
  for (const Index count : {0, 1, 2, 3, 17, 1000}) {
    for (const int threads : {1, 2, 3, 64}) {
      for (const Index work : {Index{0}, plenty}) {
        std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
        share(count, work, threads, [&](Index first, Index last) {
          for (Index i = first; i < last; ++i) ++done[static_cast<std::size_t>(i)];
        });
        for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
      }
    }
  }
}

TEST(Threads, ANegativeCountIsNoWork) {
  share(-5, plenty, 2, [](Index, Index) { FAIL() << "called"; });
}

TEST(Threads, SmallWorkStaysInTheCallingThread) {
  const std::thread::id caller = std::this_thread::get_id();
  int calls = 0;
  share(1000, 100, 8, [&](Index first, Index last) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(last - first, 1000);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST(Threads, AnExceptionOfABodyComesBack) {
  for (const Index work : {Index{0}, plenty}) {
    EXPECT_THROW(share(100, work, 2,
                       [](Index first, Index last) {
                         if (first <= 50 && 50 < last) throw std::runtime_error("piece");
                       }),
                 std::runtime_error);
  }
  int after = 0;
  share(1, plenty, 2, [&](Index, Index) { ++after; });
  EXPECT_EQ(after, 1);
}

// Runs pieces that wait until a second thread has joined, or a second has passed.
template <class Body>
bool share_between_two(const Body& body) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  share(64, plenty, 2, [&](Index, Index) {
    {
      const std::scoped_lock lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    body();
    while (std::chrono::steady_clock::now() < deadline) {
      const std::scoped_lock lock(mutex);
      if (seen.size() > 1) break;
    }
  });
  return seen.size() > 1;
}

TEST(Threads, SignalsAreBlockedInWorkersAndOnlyThere) {
  const std::thread::id caller = std::this_thread::get_id();
  sigset_t before, after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  std::atomic<int> open_workers{0}, closed_callers{0};
  const bool shared = share_between_two([&] {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    const bool blocked = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGALRM) == 1;
    if (std::this_thread::get_id() == caller) {
      closed_callers += blocked ? 1 : 0;
    } else {
      open_workers += blocked ? 0 : 1;
    }
  });
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
  EXPECT_EQ(closed_callers, 0);
  EXPECT_EQ(open_workers, 0);
  if (!shared) GTEST_SKIP() << "this machine gave us one thread only";
}

#if !defined(__SANITIZE_THREAD__)  // it runs handlers late, in threads of its own choice
std::atomic<int> handled_by_workers{0};
thread_local bool is_ours = false;

// A process that begins to share work while signals pour in: how many were handled by workers.
int signals_in_workers_of_a_fresh_process() {
  is_ours = true;
  struct sigaction action {};
  action.sa_handler = [](int) { handled_by_workers += is_ours ? 0 : 1; };
  sigaction(SIGUSR1, &action, nullptr);
  const pid_t target = getpid(), sender = fork();
  if (sender == 0) {
    while (kill(target, SIGUSR1) == 0) {
    }
    _exit(0);
  }
  for (int i = 0; i < 10; ++i) {
    share(32, plenty, 2, [](Index, Index) { usleep(50); });
  }
  kill(sender, SIGKILL);
  waitpid(sender, nullptr, 0);
  return std::min(handled_by_workers.load(), 100);
}

TEST(Threads, WorkersHandleNoSignalEvenWhenTheyStart) {
  for (int i = 0; i < 12; ++i) {
    const pid_t fresh = fork();
    if (fresh == 0) _exit(signals_in_workers_of_a_fresh_process());
    int status = 0;
    waitpid(fresh, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << "signals handled by workers";
  }
}
#endif

// By arithmetic: fegetround reads the x87 unit's mode, which no arithmetic here uses.
bool rounds_to_nearest() {
  volatile double one = 1.0, little = 0x1p-60;
  const double up = one + little, down = one - little;
  return up == 1.0 && down == 1.0 && -up == -1.0;
}

TEST(Threads, BodiesRunInRoundToNearestAndTheCallersModeComesBack) {
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for (const Index work : {Index{0}, plenty}) {
      std::atomic<int> wrong{0};
      std::fesetround(rounding);
      std::feclearexcept(FE_ALL_EXCEPT);
      share(64, work, 2, [&](Index, Index) { wrong += rounds_to_nearest() ? 0 : 1; });
      const int flags = std::fetestexcept(FE_ALL_EXCEPT);
      const bool kept = !rounds_to_nearest();
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(wrong, 0) << "work " << work;
      EXPECT_TRUE(kept) << "work " << work;
      EXPECT_EQ(flags, 0) << "work " << work;
    }
  }
}

#if defined(__SSE2__)
TEST(Threads, BodiesKeepSubnormals) {
  constexpr unsigned flush_and_zero = 0x8040;
  for (const Index work : {Index{0}, plenty}) {
    std::atomic<int> wrong{0};
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | flush_and_zero);
    share(64, work, 2, [&](Index, Index) { wrong += (_mm_getcsr() & flush_and_zero) != 0 ? 1 : 0; });
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(wrong, 0) << "work " << work;
    EXPECT_EQ(after, before | flush_and_zero);
  }
}
#endif

TEST(Threads, ManyCallersAtOnceWithSmallStacks) {  // a waiting caller must not pile the others' work on its own stack
  constexpr int callers = 100;
  constexpr std::size_t stack_bytes = 64 * 1024;
  std::atomic<Index> done{0};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack_bytes), 0);
  std::vector<pthread_t> threads(callers);
  for (pthread_t& thread : threads) {
    ASSERT_EQ(pthread_create(
                  &thread, &attributes,
                  [](void* count) -> void* {
                    for (int i = 0; i < 20; ++i) {
                      share(40, plenty, 2,
                            [&](Index first, Index last) { static_cast<std::atomic<Index>*>(count)->fetch_add(last - first); });
                    }
                    return nullptr;
                  },
                  &done),
              0);
  }
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(done, callers * 20 * 40);
}

}  // namespace
}  // namespace ab::device
