// SPDX-License-Identifier: MIT
// Work that goes on after the call: order, failures, promises, threads, forks.
#include "capi/submitted_work.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <iterator>
#include <thread>

#include "capi/guarded.hpp"
#include "capi/matrix.hpp"
#include "core/error.hpp"
#include "core/thread_state.hpp"

namespace ab::capi {
namespace {

using Report = std::optional<ProductReport>;

// Work that waits until it is let go.
class Gate {
 public:
  Work work(int device, std::vector<ABMatrix_s*> results = {}) {
    return {"gate", device, std::move(results), [opened = opened_] {
              opened.wait();
              return Report();
            }};
  }
  void open() { promise_.set_value(); }

 private:
  std::promise<void> promise_;
  std::shared_future<void> opened_ = promise_.get_future().share();
};

std::shared_ptr<Completion> submit(int device, const std::function<void()>& body, const char* function = "work") {
  Work work = {function, device, {}, {}};
  work.body = [body] {
    body();
    return Report();
  };
  return submitted_work().submit(std::move(work));
}

TEST(SubmittedWork, RunsInTheOrderOfSubmission) {
  std::vector<int> order;
  std::vector<std::shared_ptr<Completion>> all;
  for (int i = 0; i < 100; ++i) all.push_back(submit(0, [&order, i] { order.push_back(i); }));
  submitted_work().wait_for_all();
  for (const auto& completion : all) EXPECT_TRUE(submitted_work().is_done(*completion));
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(SubmittedWork, DevicesDoNotWaitForEachOther) {
  Gate gate;
  const auto stuck = submitted_work().submit(gate.work(0));
  const auto other = submit(1, [] {});
  EXPECT_EQ(submitted_work().wait(*other), AB_OK);
  EXPECT_FALSE(submitted_work().is_done(*stuck));
  gate.open();
  EXPECT_EQ(submitted_work().wait(*stuck), AB_OK);
}

// Threads of this process.
std::size_t thread_count() {
  const auto tasks = std::filesystem::directory_iterator("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(SubmittedWork, StreamsWaitForNobodyAndAreInOrder) {
  Gate device, first, second;
  const auto stuck = submitted_work().submit(device.work(0));
  Work of_first = first.work(0), of_second = second.work(1);
  of_first.stream = 7, of_second.stream = 8;
  const auto one = submitted_work().submit(std::move(of_first)), two = submitted_work().submit(std::move(of_second));
  std::vector<int> order;
  std::vector<std::shared_ptr<Completion>> all;
  for (int i = 0; i < 50; ++i) {  // of both devices
    Work work = {"work", i % 2, {}, {}};
    work.stream = 8;
    work.body = [&order, i] {
      order.push_back(i);
      return Report();
    };
    all.push_back(submitted_work().submit(std::move(work)));
  }
  second.open();
  EXPECT_EQ(submitted_work().wait(*all.back()), AB_OK);
  EXPECT_TRUE(submitted_work().is_done(*two));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(order.at(static_cast<std::size_t>(i)), i);
  EXPECT_FALSE(submitted_work().is_done(*stuck));
  EXPECT_FALSE(submitted_work().is_done(*one));
  first.open();
  device.open();
  submitted_work().wait_for_all();
  EXPECT_TRUE(submitted_work().is_done(*one));
  for (const std::uint64_t stream : {7, 8}) submitted_work().end_stream(stream);
}

TEST(SubmittedWork, TheThreadOfAStreamEndsWithIt) {
  submit(0, [] {});
  submitted_work().wait_for_all();
  const std::size_t before = thread_count();
  for (std::uint64_t stream = 100; stream < 400; ++stream) {
    submitted_work().submit({"work", 0, {}, [] { return Report(); }, stream});
    submitted_work().wait_for_all();
    submitted_work().end_stream(stream);
    submitted_work().end_stream(stream);
  }
  for (int round = 0; round < 100 && thread_count() > before; ++round) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(thread_count(), before);
}

TEST(SubmittedWork, WaitsOnlyForWhatCameBefore) {
  Gate first, second;
  const auto early = submitted_work().submit(first.work(0));
  std::atomic<bool> waited{false};
  std::thread waiter([&] {
    wait_for_submitted_work();
    waited = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(waited);
  const auto late = submitted_work().submit(second.work(0));
  first.open();
  waiter.join();
  EXPECT_TRUE(waited);
  EXPECT_FALSE(submitted_work().is_done(*late));
  second.open();
  submitted_work().wait_for_all();
}

Report double_float() {
  ProductReport report;
  report.scheme = Scheme::DoubleFloat;
  return report;
}

TEST(SubmittedWork, FailuresAndReportsGoToWhoWaits) {
  const auto failing = submit(
      0, [] { throw Error(Status::Singular, "of no use"); }, "ab_this");
  const auto working = submitted_work().submit({"ab_that", 0, {}, double_float});
  std::thread waiting([&] {
    EXPECT_EQ(submitted_work().wait(*failing), AB_ERROR_SINGULAR);
    EXPECT_STREQ(thread_state().last_error, "ab_this: of no use");
    EXPECT_EQ(thread_state().last_product.scheme, Scheme::None);
    EXPECT_EQ(submitted_work().wait(*working), AB_OK);
    EXPECT_EQ(thread_state().last_product.scheme, Scheme::DoubleFloat);
    EXPECT_EQ(submitted_work().wait(*failing), AB_ERROR_SINGULAR);  // again
  });
  waiting.join();
  EXPECT_EQ(submitted_work().status_now(*failing), AB_ERROR_SINGULAR);
  EXPECT_STREQ(thread_state().last_error, "ab_this: of no use");
}

TEST(SubmittedWork, PromisesLastAsLongAsTheWork) {
  ABMatrix_s matrix;
  Gate gate;
  const auto work = submitted_work().submit(gate.work(0, {&matrix}));
  EXPECT_EQ(matrix.promises, 1);
  EXPECT_EQ(submitted_work().status_now(*work), AB_OK);  // pending
  gate.open();
  submitted_work().wait_for_all();
  EXPECT_EQ(matrix.promises, 0);
}

TEST(SubmittedWork, ItsThreadsTakeNoSignals) {
  sigset_t blocked;
  sigemptyset(&blocked);
  submit(0, [&] { pthread_sigmask(SIG_BLOCK, nullptr, &blocked); });
  submitted_work().wait_for_all();
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 1);
  sigset_t own;
  pthread_sigmask(SIG_BLOCK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGTERM), 0);
}

int child_after_fork(const Completion& unfinished, const ABMatrix_s& promised) {
  alarm(20);  // a lock left held, or a wait for a thread that is not there, would hang
  wait_for_submitted_work();
  if (submitted_work().wait(unfinished) != AB_ERROR_NO_DEVICE) return 1;
  if (std::string(thread_state().last_error).find("forked") == std::string::npos) return 2;
  if (promised.promises != 0) return 3;
  bool ran = false;
  const auto here = submit(0, [&] { ran = true; });
  if (!ran || !submitted_work().is_done(*here)) return 4;  // at once: a child starts no thread
  ran = false;
  submitted_work().submit({"work",
                           0,
                           {},
                           [&ran] {
                             ran = true;
                             return Report();
                           },
                           9});
  submitted_work().end_stream(9);
  if (!ran) return 6;
  return submitted_work().wait(*here) == AB_OK ? 0 : 5;
}

TEST(SubmittedWork, WhatAForkInterruptsFailsInTheChildOnly) {
  ABMatrix_s promised;
  Gate gate;
  Work of_stream = gate.work(0, {&promised});
  of_stream.stream = 9;
  const auto running = submitted_work().submit(std::move(of_stream));
  const auto waiting = submitted_work().submit(gate.work(0));
  for (const auto& unfinished : {running, waiting}) {
    const pid_t child = fork();
    if (child == 0) _exit(child_after_fork(*unfinished, promised));
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  gate.open();
  EXPECT_EQ(submitted_work().wait(*running), AB_OK);
  EXPECT_EQ(submitted_work().wait(*waiting), AB_OK);
  submitted_work().end_stream(9);
}

}  // namespace
}  // namespace ab::capi
