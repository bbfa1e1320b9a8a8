// SPDX-License-Identifier: MIT
// Each thread has its own state, and error texts are cut to the buffer.
#include "core/thread_state.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>

#include "core/settings.hpp"

namespace ab {
namespace {

TEST(ThreadState, IsEachThreadsOwn) {
  thread_state().device = 3;
  thread_state().last_path_was_gpu = true;
  std::thread([] {
    EXPECT_EQ(thread_state().device, -1);
    EXPECT_FALSE(thread_state().last_path_was_gpu);
    thread_state().device = 5;
  }).join();
  EXPECT_EQ(thread_state().device, 3);
  thread_state() = {};
}

TEST(ThreadState, PrecisionIsTheThreadsElseTheEnvironments) {
  EXPECT_EQ(thread_precision(), settings().precision);
  thread_state().precision = Precision::Strict;
  EXPECT_EQ(thread_precision(), Precision::Strict);
  std::thread([] { EXPECT_EQ(thread_precision(), settings().precision); }).join();
  thread_state() = {};
}

TEST(ThreadState, ErrorTextsAreKeptAndCut) {
  remember_error("ab_dgemm: A is 3x4");
  EXPECT_STREQ(thread_state().last_error, "ab_dgemm: A is 3x4");
  const std::string longer(10000, 'x');
  remember_error(longer.c_str());
  EXPECT_EQ(std::strlen(thread_state().last_error), sizeof(ThreadState::last_error) - 1);
  thread_state() = {};
}

TEST(ThreadState, IsSmall) {
  EXPECT_LT(sizeof(ThreadState), 1024u);
}

}  // namespace
}  // namespace ab
