// SPDX-License-Identifier: MIT
// What the handle API counts.
#include "handles.hpp"

namespace ab::test {
namespace {

TEST(Statistics, AllZeroBeforeInit) {
  EXPECT_TRUE(equal(ab_get_stats(), ABStats{}));
}

using StatisticsOfHandles = Initialized;

TEST_F(StatisticsOfHandles, CountsProductsAndTransfers) {
  const Matrix a(3, 4, counted(3, 4)), b(4, 2, counted(4, 2)), c(3, 2), d(3, 2);
  EXPECT_EQ(ab_get_stats().elements_converted, 12u + 8u);
  ASSERT_EQ(ab_dgemm(a, b, c), AB_OK);
  ASSERT_EQ(ab_dgemm_scaled(2.0, a, b, 1.0, c), AB_OK);
  ASSERT_EQ(ab_zgemm(a, a, b, b, c, d), AB_OK);
  ASSERT_TRUE(c.contents());
  const ABStats stats = ab_get_stats();
  EXPECT_EQ(stats.dgemm_count, 2u);
  EXPECT_EQ(stats.zgemm_count, 1u);
  EXPECT_EQ(stats.elements_converted, 12u + 8u + 6u);
  EXPECT_GT(stats.kernel_time_ms, 0.0);
  EXPECT_GT(stats.upload_time_ms, 0.0);
  EXPECT_GT(stats.download_time_ms, 0.0);
  ab_reset_stats();
  EXPECT_TRUE(equal(ab_get_stats(), ABStats{}));
}

TEST_F(StatisticsOfHandles, ShutdownZeroesThem) {
  const Matrix a(2, 2, counted(2, 2)), c(2, 2);
  ASSERT_EQ(ab_dgemm(a, a, c), AB_OK);
  ab_shutdown();
  EXPECT_TRUE(equal(ab_get_stats(), ABStats{}));
}

TEST_F(StatisticsOfHandles, PrintsSixLinesToStderr) {
  const Matrix a(2, 2, counted(2, 2)), c(2, 2);
  ASSERT_EQ(ab_dgemm(a, a, c), AB_OK);
  ::testing::internal::CaptureStderr();
  ab_print_stats();
  const std::string printed = ::testing::internal::GetCapturedStderr();
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < printed.size();) {
    const std::size_t end = printed.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    lines.push_back(printed.substr(at, end - at));
    at = end + 1;
  }
  ASSERT_EQ(lines.size(), 6u);
  const char* const names[] = {"upload_time_ms ", "download_time_ms ", "kernel_time_ms ",
                               "dgemm_count ",    "zgemm_count ",      "elements_converted "};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(lines[i].rfind(names[i], 0), 0u) << lines[i];
  EXPECT_EQ(lines[3], "dgemm_count         1");
  EXPECT_EQ(lines[5], "elements_converted  4");
}

}  // namespace
}  // namespace ab::test
