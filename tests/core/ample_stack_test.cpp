// SPDX-License-Identifier: MIT
#include "core/ample_stack.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "core/error.hpp"

namespace ab {
namespace {

// More than a small thread has.
void use_stack() {
  volatile char deep[2 << 20];
  for (std::size_t i = 0; i < sizeof deep; i += 4096) deep[i] = 1;
}

// The work on a thread with the smallest stack that the system gives.
void on_small_stack(void (*work)()) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::max<std::size_t>(static_cast<std::size_t>(PTHREAD_STACK_MIN), 65536)), 0);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    reinterpret_cast<void (*)()>(argument)();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, reinterpret_cast<void*>(work)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(AmpleStack, IsThereForThreadsWithSmallOnes) {
  on_small_stack([] { with_ample_stack(use_stack); });
}

TEST(AmpleStack, IsOneThreadHoweverDeep) {
  with_ample_stack([] {
    const pthread_t outer = pthread_self();
    with_ample_stack([&] { EXPECT_TRUE(pthread_equal(outer, pthread_self())); });
  });
}

TEST(AmpleStack, HasNoSignals) {
  with_ample_stack([] {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    EXPECT_TRUE(sigismember(&mask, SIGTERM));
    EXPECT_TRUE(sigismember(&mask, SIGUSR1));
  });
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_FALSE(sigismember(&mask, SIGTERM));
}

TEST(AmpleStack, ThrowsWhatTheWorkThrows) {
  try {
    with_ample_stack([] { throw Error(Status::ShaderCompile, "no such kernel"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::ShaderCompile);
    EXPECT_STREQ(error.what(), "no such kernel");
  }
}

#if defined(__linux__)
TEST(AmpleStack, LeavesNoThread) {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
  };
  const auto before = threads();
  with_ample_stack([&] { EXPECT_EQ(threads(), before + 1); });
  EXPECT_EQ(threads(), before);
}
#endif

}  // namespace
}  // namespace ab
