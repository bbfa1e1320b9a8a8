// SPDX-License-Identifier: MIT
#include "samples.hpp"

#include <gtest/gtest.h>

namespace ab::cli {
namespace {

TEST(Samples, AreClassifiedByBothRates) {
  const struct {
    double before, after;
    Sharing sharing;
  } cases[] = {
      {4.0, 4.0, Sharing::Unshared}, {3.2, 3.2, Sharing::Unshared}, {3.2, 4.0, Sharing::Unshared}, {3.19, 4.0, Sharing::Mixed},
      {4.0, 3.19, Sharing::Mixed},   {1.0, 4.0, Sharing::Mixed},    {4.0, 1.0, Sharing::Mixed},    {2.5, 2.5, Sharing::Mixed},
      {1.0, 2.01, Sharing::Mixed},   {2.01, 1.0, Sharing::Mixed},   {2.0, 2.0, Sharing::Shared},   {1.0, 1.1, Sharing::Shared},
  };
  for (const auto& [before, after, sharing] : cases) {
    EXPECT_EQ(classify({before, after}, 4.0), sharing) << before << " " << after;
    EXPECT_EQ(classify({before * 0.25, after * 0.25}, 1.0), sharing) << before << " " << after;  // relative to the highest
  }
}

TEST(Samples, MediansAreOfOneKind) {
  const std::vector<Sample> samples = {{1.0, MatrixRates{4.0, 3.9}},
                                       {9.0, MatrixRates{1.0, 1.1}},
                                       {3.0, MatrixRates{3.8, 4.0}},
                                       {5.0, MatrixRates{4.0, 1.0}},
                                       {8.0, std::nullopt}};
  EXPECT_EQ(highest_rate(samples), 4.0);
  EXPECT_EQ(seconds_of(samples, Sharing::Unshared, 4.0), (std::vector<double>{1.0, 3.0}));
  EXPECT_EQ(seconds_of(samples, Sharing::Mixed, 4.0), std::vector<double>{5.0});
  EXPECT_EQ(seconds_of(samples, Sharing::Shared, 4.0), std::vector<double>{9.0});
  EXPECT_EQ(median_seconds(samples), 5.0);
  EXPECT_EQ(median({1.0, 2.0}), 1.5);
  ASSERT_TRUE(median_rate(samples));
  EXPECT_DOUBLE_EQ(*median_rate(samples), 3.85);
}

TEST(Samples, WithoutAMatrixUnitThereIsNoRate) {
  const std::vector<Sample> samples = {{1.0, std::nullopt}};
  EXPECT_EQ(highest_rate(samples), 0.0);
  EXPECT_FALSE(median_rate(samples));
  EXPECT_TRUE(seconds_of(samples, Sharing::Unshared, 0.0).empty());
}

}  // namespace
}  // namespace ab::cli
