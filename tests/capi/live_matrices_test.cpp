// SPDX-License-Identifier: MIT
// The list of live matrices, and its locks over a fork.
#include "capi/live_matrices.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "capi/matrix.hpp"

namespace ab::capi {
namespace {

class Bytes final : public device::Memory {
 public:
  explicit Bytes(int& alive) : alive_(alive) { ++alive_; }
  ~Bytes() override { --alive_; }
  std::size_t bytes() const override { return 0; }

 private:
  int& alive_;
};

TEST(LiveMatrices, ReleasesTheMemoryOfExactlyThoseListed) {
  int alive = 0;
  ABMatrix_s matrices[4];
  for (ABMatrix_s& matrix : matrices) {
    matrix.memory = std::make_unique<Bytes>(alive);
    live_matrices().add(matrix);
  }
  live_matrices().remove(matrices[0]);  // the last of the list
  live_matrices().remove(matrices[2]);  // in the middle
  live_matrices().release_all();
  EXPECT_EQ(alive, 2);
  EXPECT_TRUE(matrices[0].memory && matrices[2].memory);
  EXPECT_FALSE(matrices[1].memory || matrices[3].memory);
  live_matrices().remove(matrices[3]);  // the first
  live_matrices().remove(matrices[1]);
  live_matrices().release_all();
  EXPECT_EQ(alive, 2);
}

TEST(LiveMatrices, AForkWhileAnotherThreadHoldsTheOperationLock) {
  std::promise<void> held, done;
  std::thread other([&] {
    const auto running = live_matrices().begin_operation();
    held.set_value();
    done.get_future().wait();
  });
  held.get_future().wait();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a lock left held would hang here
    const auto pause = live_matrices().pause_operations();
    live_matrices().release_all();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  done.set_value();
  other.join();
  const auto pause = live_matrices().pause_operations();  // the parent's locks are whole too
}

TEST(LiveMatrices, APauseGetsItsTurnAmongOperationsThatNeverCease) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (!stop) {
        const auto running = live_matrices().begin_operation();
        std::this_thread::yield();
      }
    });
  }
  for (int round = 0; round < 20; ++round) const auto pause = live_matrices().pause_operations();
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ab::capi
