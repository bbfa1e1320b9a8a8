// SPDX-License-Identifier: MIT
#include "report/statistics.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace ab::report {
namespace {

class StatisticsTest : public testing::Test {
 protected:
  void SetUp() override { reset_statistics(); }
  void TearDown() override { reset_statistics(); }
};

TEST_F(StatisticsTest, CountsByKindAndDirection) {
  count_product(ProductKind::Real, 1.5);
  count_product(ProductKind::Real, 0);
  count_product(ProductKind::Complex, 2.25);
  count_transfer(1000, 0.5, Direction::Upload);
  count_transfer(24, 0.125, Direction::Download);
  const Statistics now = statistics();
  EXPECT_EQ(now.dgemm_count, 2u);
  EXPECT_EQ(now.zgemm_count, 1u);
  EXPECT_DOUBLE_EQ(now.kernel_time_ms, 3.75);
  EXPECT_DOUBLE_EQ(now.upload_time_ms, 0.5);
  EXPECT_DOUBLE_EQ(now.download_time_ms, 0.125);
  EXPECT_EQ(now.elements_converted, 1024u);
  reset_statistics();
  EXPECT_EQ(statistics().dgemm_count + statistics().zgemm_count + statistics().elements_converted, 0u);
  EXPECT_EQ(statistics().kernel_time_ms, 0);
}

TEST_F(StatisticsTest, NothingIsLostBetweenThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 1000; ++i) count_product(ProductKind::Real, 0.001);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(statistics().dgemm_count, 8000u);
  EXPECT_DOUBLE_EQ(statistics().kernel_time_ms, 8);
}

TEST_F(StatisticsTest, PrintsSixLines) {
  count_transfer(7, 12.345, Direction::Upload);
  count_product(ProductKind::Complex, 0.5);
  testing::internal::CaptureStderr();
  print_statistics();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "upload_time_ms      12.345\n"
            "download_time_ms    0.000\n"
            "kernel_time_ms      0.500\n"
            "dgemm_count         0\n"
            "zgemm_count         1\n"
            "elements_converted  7\n");
}

}  // namespace
}  // namespace ab::report
