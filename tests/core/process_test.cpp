// SPDX-License-Identifier: MIT
// A child knows that it is one, also a child's child, and inherits no held lock.
#include "core/process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace ab {
namespace {

template <class Body>
int exit_status_of_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Process, AForkedChildKnowsIt) {
  watch_forks();
  watch_forks();
  EXPECT_FALSE(is_forked_child());
  const int status = exit_status_of_child([] {
    if (!is_forked_child()) return 1;
    return exit_status_of_child([] { return is_forked_child() ? 7 : 1; });
  });
  EXPECT_EQ(status, 7);
  EXPECT_FALSE(is_forked_child());
}

TEST(Process, TheLockIsFreeInTheChild) {
  watch_forks();
  std::thread holder([] {
    for (int i = 0; i < 200; ++i) {
      const std::scoped_lock lock(process_mutex());
      usleep(100);
    }
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(exit_status_of_child([] {
                const std::scoped_lock lock(process_mutex());
                return 7;
              }),
              7);
  }
  holder.join();
}

TEST(Process, NoChildIsMadeWhileALibraryIsLoaded) {
  std::atomic<bool> begun{false}, loaded{false};
  std::thread loader([&] {
    const LoadingLibrary loading;
    const LoadingLibrary again;  // of the same thread
    begun.store(true);
    usleep(100000);
    loaded.store(true);
  });
  while (!begun.load()) usleep(100);
  EXPECT_EQ(exit_status_of_child([&] { return loaded.load() ? 7 : 1; }), 7);
  loader.join();
}

TEST(Process, ALibraryMayForkWhileItIsLoaded) {
  const LoadingLibrary loading;
  EXPECT_EQ(exit_status_of_child([] {
              const LoadingLibrary again;
              return 7;
            }),
            7);
}

}  // namespace
}  // namespace ab
