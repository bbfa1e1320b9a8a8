// SPDX-License-Identifier: MIT
// The life of the library: opening, closing, threads, forks, memory, and the caller's floating-point environment.
#include "ops/context.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <thread>

#include "core/error.hpp"
#include "core/float_environment.hpp"
#include "device/registry.hpp"
#include "ops/prepared.hpp"
#include "support/data.hpp"
#include "support/faulty_device.hpp"
#include "support/run_golden.hpp"
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace ab::ops {
namespace {

struct Known {
  test::Call call;
  test::Verdict verdict;
  Choices choices;
};

// Products of every class, small ones and some that are shared over threads, with their bits.
const std::vector<Known>& known_products() {
  static const auto* const products = [] {
    auto* out = new std::vector<Known>;
    test::Random random(91);
    for (const Precision precision : test::device_classes) {
      for (const test::Shape& shape : {test::Shape{3, 4, 5}, test::Shape{24, 30, 40}}) {
        test::Recipe recipe;
        recipe.family = "normal", recipe.shape = shape, recipe.type = shape.m == 3 ? test::Type::Complex : test::Type::Real;
        test::Call call = make_call(recipe, random);
        test::Verdict verdict = judge(call, precision);
        expected_report(verdict.report, precision, ModuliFamily::Int8);  // its tables: made before anybody forks
        out->push_back({std::move(call), std::move(verdict), test::choices_for(precision)});
      }
    }
    return out;
  }();
  return *products;
}

// How many of the known products are wrong on a context.
int wrong_products(Context& context, std::size_t rounds = 1) {
  int wrong = 0;
  for (std::size_t r = 0; r < rounds; ++r) {
    for (const Known& known : known_products()) {
      const test::Ran ran = run_call(context, known.call, r % 2 == 0 ? test::Way::Adopted : test::Way::Copied, known.choices);
      wrong += difference_of_run(known.call, known.verdict, ran, known.choices).empty() ? 0 : 1;
    }
  }
  return wrong;
}

TEST(Context, OpensOnceAndClosesForGood) {
  shutdown();
  EXPECT_FALSE(is_initialized());
  EXPECT_EQ(current_context_if_initialized(), nullptr);
  initialize();
  initialize();
  EXPECT_TRUE(is_initialized());
  const std::shared_ptr<Context> first = current_context();
  EXPECT_EQ(current_context(), first);
  EXPECT_EQ(current_context_if_initialized(), first);
  EXPECT_TRUE(alive(*first));
  EXPECT_EQ(index_of(*first), current_device_index());
  EXPECT_EQ(&device_of(*first), &device::open(0));
  EXPECT_EQ(wrong_products(*first), 0);
  EXPECT_GT(memory_use(*first).held_bytes, 0u);
  EXPECT_GE(memory_use(*first).peak_bytes, memory_use(*first).held_bytes);
  shutdown();
  shutdown();
  EXPECT_FALSE(is_initialized());
  EXPECT_FALSE(alive(*first));
  EXPECT_EQ(memory_use(*first).held_bytes, 0u);
  const std::shared_ptr<Context> second = current_context();
  EXPECT_NE(second, first);
  EXPECT_TRUE(alive(*second));
  EXPECT_EQ(wrong_products(*second), 0);
}

TEST(Context, DevicesAreSelectedByThread) {
  for (const int index : {-1, device::count(), 1000}) {
    try {
      select_device(index);
      FAIL() << "selected " << index;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::InvalidArgument);
    }
  }
  select_device(0);
  EXPECT_EQ(current_device_index(), 0);
  int other = -2;
  std::thread([&] { other = current_device_index(); }).join();
  EXPECT_EQ(other, 0);
}

TEST(Context, ARefusedDeviceIsNoDevice) {
  shutdown();
  const device::TrustState before = device::trust_of(0);
  device::set_trust(0, {device::Trust::Refused, "adds wrongly"});
  try {
    select_device(0);
    ADD_FAILURE() << "selected";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::NoDevice);
    EXPECT_NE(std::string(error.what()).find("adds wrongly"), std::string::npos);
  }
  EXPECT_FALSE(is_initialized());
  device::set_trust(0, before);
  EXPECT_NO_THROW(initialize());
}

TEST(Context, AHundredThreadsAtOnceGetTheSameBits) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 100; ++t) threads.emplace_back([&] { wrong += wrong_products(*current_context()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Context, ClosingInOneThreadLeavesTheOthersRight) {
  std::atomic<int> wrong{0};
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (!done) wrong += wrong_products(*current_context());
    });
  }
  for (int i = 0; i < 30; ++i) {
    shutdown();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// ---- forks

[[maybe_unused]] int status_of_child(pid_t child) {
  for (int waited_ms = 0; waited_ms < 20000; waited_ms += 5) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -1;  // it hung
}

// In the child: everything must go on, in this thread alone.
[[maybe_unused]] int child_of_fork() {
  if (!is_forked_child()) return 2;
  const std::shared_ptr<Context> context = current_context();
  if (!alive(*context)) return 3;
  if (wrong_products(*context) != 0) return 4;
  shutdown();
  return wrong_products(*current_context()) == 0 ? 0 : 5;
}

// ThreadSanitizer does not follow forks of programs with threads; AddressSanitizer's allocator may be forked while locked.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
TEST(Context, AChildGoesOnWhateverTheThreadsOfItsParentWereDoing) {
  initialize();
  EXPECT_EQ(wrong_products(*current_context()), 0);
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      while (!done) wrong += wrong_products(*current_context());
    });
  }
  for (int i = 0; i < 12; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(child_of_fork());
    EXPECT_EQ(status_of_child(child), 0) << "child " << i;
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(is_forked_child());
  EXPECT_EQ(wrong_products(*current_context()), 0);
}

// A process of its own whose threads use the library for the first time while it forks.
int fork_during_first_use(int delay_us) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 3; ++t) threads.emplace_back([&] { wrong += wrong_products(*current_context()); });
  usleep(static_cast<useconds_t>(delay_us));
  const pid_t child = fork();
  if (child == 0) _exit(wrong_products(*current_context()) == 0 ? 0 : 4);
  const int status = status_of_child(child);
  for (std::thread& thread : threads) thread.join();
  return status != 0 ? 10 + (status & 63) : wrong == 0 ? 0 : 5;
}

TEST(Context, AForkDuringTheFirstUseLeavesAChildThatComputes) {
  known_products();
  if (is_initialized()) GTEST_SKIP() << "for a process that has not used the library yet";
  for (int i = 0; i < 25; ++i) {
    const pid_t fresh = fork();
    if (fresh == 0) _exit(fork_during_first_use(i * 250));
    EXPECT_EQ(status_of_child(fresh), 0) << "delay " << i * 250 << " us";
  }
}
#endif

// ---- memory and stacks

TEST(Context, MemoryStaysLevelOverAThousandProducts) {
  constexpr std::uint64_t cap = std::uint64_t{1} << 20;
  test::FaultyDevice device(device::open(0));
  Context context(0, device, cap);
  test::Random random(92);
  std::uint64_t peak_of_first_half = 0;
  for (int t = 0; t < 1000; ++t) {
    test::Recipe recipe;
    const auto size = [&] { return static_cast<Index>(random.below(12)) + 1; };
    recipe.shape = {size(), size(), size() * 5}, recipe.type = t % 2 == 0 ? test::Type::Real : test::Type::Complex;
    const test::Call call = make_call(recipe, random);
    run_call(context, call, test::Way::Copied, test::choices_for(test::device_classes[static_cast<std::size_t>(t) % 4]));
    ASSERT_LE(context.pool().held_bytes(), cap);
    ASSERT_EQ(device.bytes_alive(), context.pool().held_bytes());
    if (t == 499) peak_of_first_half = context.pool().peak_bytes();
  }
  EXPECT_LE(context.pool().peak_bytes(), peak_of_first_half + peak_of_first_half / 4);
  context.prepared().clear();  // constants of moduli
  context.pool().trim();
  EXPECT_EQ(device.bytes_alive(), 0u);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // frames are larger there
TEST(Context, AThreadWithASmallStackComputes) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 64 * 1024), 0);
  known_products();
  const std::shared_ptr<Context> context = current_context();
  struct Task {
    Context& context;
    int wrong;
  } task{*context, -1};
  pthread_t thread;
  const auto run = [](void* given) -> void* {
    auto* mine = static_cast<Task*>(given);
    mine->wrong = wrong_products(mine->context, 2);
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &task), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(task.wrong, 0);
}
#endif

// ---- the caller's floating-point environment

TEST(Context, RoundingModesOfTheCallerChangeNoBitAndStay) {
  known_products();
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    shutdown();
    std::fesetround(rounding);
    std::feclearexcept(FE_ALL_EXCEPT);
    std::vector<test::Ran> ran;
    for (const Known& known : known_products()) ran.push_back(run_call(*current_context(), known.call, test::Way::Adopted, known.choices));
    const int after = std::fegetround();
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(after, rounding);
    for (std::size_t i = 0; i < ran.size(); ++i) {
      const Known& known = known_products()[i];
      EXPECT_EQ(difference_of_run(known.call, known.verdict, ran[i], known.choices), "") << rounding;
    }
  }
}

#if defined(__SSE2__)
TEST(Context, FlushingOfTheCallerChangesNoBitAndStays) {
  known_products();
  constexpr unsigned flush_and_zero = 0x8040, rounding_upward = 0x4000;
  const unsigned before = _mm_getcsr();
  _mm_setcsr((before & ~0x3fu) | flush_and_zero | rounding_upward);
  const unsigned set = _mm_getcsr();
  std::vector<std::vector<double>> results;
  for (const Known& known : known_products()) {
    const FloatEnvironment environment;  // as the front doors do: scalars are compared with zero here
    results.push_back(run_call(test::context_of(), known.call, test::Way::Adopted, known.choices).c);
  }
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after, set);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(difference(known_products()[i].call, known_products()[i].verdict.c, results[i]), "");
  }
}
#endif

}  // namespace
}  // namespace ab::ops
