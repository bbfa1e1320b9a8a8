// SPDX-License-Identifier: MIT
// Counts survive their threads, are told apart by what ran, and do not pass into children.
#include "report/ledger.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "report/calls_of_tests.hpp"

namespace ab::report {
namespace {

using test::device_call;
using test::host_call;

class LedgerTest : public testing::Test {
 protected:
  void SetUp() override { forget_calls(); }
};

const LedgerLine& line_of(const Totals& totals, const char* routine, Reason reason) {
  static const LedgerLine none;
  const auto found = std::find_if(totals.lines.begin(), totals.lines.end(),
                                  [&](const LedgerLine& line) { return std::strcmp(line.routine, routine) == 0 && line.reason == reason; });
  return found == totals.lines.end() ? none : *found;
}

TEST_F(LedgerTest, OneLineForWhatRanTheSameWayForTheSameReason) {
  count_call(host_call("dgemm", Reason::BelowMinDim), 100);
  count_call(host_call("dgemm", Reason::BelowMinDim), 50);
  count_call(host_call("dgemm", Reason::NoMeasurement), 1);
  count_call(host_call("zgemm", Reason::BelowMinDim), 2);
  count_call(device_call("dgemm", Reason::TableFaster), 4);
  const Totals now = totals();
  EXPECT_EQ(now.lines.size(), 4u);
  EXPECT_EQ(now.calls, 5u);
  EXPECT_EQ(now.elapsed_ns, 157u);
  const LedgerLine& line = line_of(now, "dgemm", Reason::BelowMinDim);
  EXPECT_EQ(line.calls, 2u);
  EXPECT_EQ(line.elapsed_ns, 150u);
  EXPECT_EQ(line.flops, 2 * 2.0 * 3 * 4 * 5);
  EXPECT_EQ(line.m, 6u);
  EXPECT_EQ(line.engine, Engine::Host);
  EXPECT_EQ(line.method, Method::Vendor);
  EXPECT_EQ(line_of(now, "dgemm", Reason::TableFaster).method, Method::Class);
}

TEST_F(LedgerTest, ComplexCallsCountEightFlops) {
  Call call = host_call("zgemm", Reason::ModeCpu);
  call.complex = true;
  count_call(call, 1);
  EXPECT_EQ(totals().lines[0].flops, 8.0 * 3 * 4 * 5);
}

TEST_F(LedgerTest, AFallbackIsCountedUnderItsReason) {
  Call call = host_call("dgemm", Reason::ModeGpu);
  call.product.fallback_reason = Reason::Nonfinite;
  count_call(call, 1);
  call = device_call("dgemm", Reason::ModeGpu);
  call.product.escalations = 3;
  count_call(call, 1);
  const Totals now = totals();
  EXPECT_EQ(line_of(now, "dgemm", Reason::Nonfinite).calls, 1u);
  EXPECT_EQ(line_of(now, "dgemm", Reason::ModeGpu).calls, 1u);
  EXPECT_EQ(now.declines[static_cast<std::size_t>(Reason::Nonfinite)], 1u);
  EXPECT_EQ(now.escalations, 3u);
}

TEST_F(LedgerTest, CountsSurviveTheirThreads) {
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 50; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 20; ++i) count_call(host_call("dgemm", Reason::ModeCpu), 1);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(totals().calls, 3000u);
}

TEST_F(LedgerTest, MemoryDoesNotGrowWithTheNumberOfThreads) {
  for (int i = 0; i < 100; ++i) std::thread([] { count_call(host_call("dgemm", Reason::ModeCpu), 1); }).join();
  EXPECT_EQ(totals().calls, 100u);
  EXPECT_EQ(ledger_count(), 1u);
}

TEST_F(LedgerTest, ReadingWhileOthersCountSeesWholeLines) {
  std::thread counting([] {
    for (int i = 0; i < 20000; ++i) count_call(host_call(i % 2 == 0 ? "dgemm" : "zgemm", Reason::ModeCpu), 1);
  });
  for (int i = 0; i < 100; ++i) {
    for (const LedgerLine& line : totals().lines) EXPECT_STREQ(word_of(line.reason), "mode_cpu");
  }
  counting.join();
  EXPECT_EQ(totals().calls, 20000u);
}

TEST_F(LedgerTest, MoreKindsThanOneBlockHolds) {
  const char* routines[] = {"dgemm", "zgemm", "dsyrk", "zherk", "dtrsm"};
  for (int round = 0; round < 2; ++round) {
    for (const char* routine : routines) {
      for (int reason = 1; reason < static_cast<int>(Reason::Count); ++reason) {
        count_call(host_call(routine, static_cast<Reason>(reason)), 1);
      }
    }
  }
  const Totals now = totals();
  EXPECT_EQ(now.lines.size(), 5u * (static_cast<std::size_t>(Reason::Count) - 1));
  for (const LedgerLine& line : now.lines) EXPECT_EQ(line.calls, 2u);
}

TEST_F(LedgerTest, LinesAreSortedByRoutineThenCalls) {
  count_call(host_call("zgemm", Reason::ModeCpu), 1);
  count_call(host_call("dgemm", Reason::BelowMinDim), 1);
  for (int i = 0; i < 3; ++i) count_call(host_call("dgemm", Reason::ModeCpu), 1);
  const Totals now = totals();
  ASSERT_EQ(now.lines.size(), 3u);
  EXPECT_EQ(now.lines[0].reason, Reason::ModeCpu);
  EXPECT_EQ(now.lines[1].reason, Reason::BelowMinDim);
  EXPECT_STREQ(now.lines[2].routine, "zgemm");
}

TEST_F(LedgerTest, AChildStartsAtZero) {
  count_call(host_call("dgemm", Reason::ModeCpu), 1);
  const pid_t child = fork();
  if (child == 0) {
    forget_calls();  // what the fork handler does
    const bool empty = totals().calls == 0;
    count_call(host_call("zgemm", Reason::ModeCpu), 1);
    _exit(empty && totals().calls == 1 ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(totals().calls, 1u);
}

}  // namespace
}  // namespace ab::report
