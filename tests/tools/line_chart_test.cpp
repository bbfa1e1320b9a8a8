// SPDX-License-Identifier: MIT
#include "line_chart.hpp"

#include <gtest/gtest.h>

namespace ab::cli {
namespace {

bool contains(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

TEST(LineChart, StepsAreRound) {
  const struct {
    double largest;
    double step;
  } cases[] = {{8.0, 1.0}, {8.1, 2.0}, {17.0, 5.0}, {41.0, 10.0}, {0.3, 0.05}, {1600.0, 200.0}};
  for (const auto& [largest, step] : cases) EXPECT_DOUBLE_EQ(axis_step(largest, 8), step) << largest;
}

TEST(LineChart, PlacesAreLogarithmicInSizeAndLinearInSpeed) {
  const std::string svg = line_chart("a < b", {{"one & two", "#123456", 2.0, {{256, 40, "large"}, {64, 0, "small"}, {128, 20, "middle"}}}});
  EXPECT_TRUE(contains(svg, "<polyline points=\"80.0,420.0 475.0,230.0 870.0,40.0\" fill=\"none\" stroke=\"#123456\"")) << svg;
  for (const char* piece : {"a &lt; b", ">one &amp; two<", ">64<", ">128<", ">256<", ">40<", "n = cube root of m n k", "GFLOP/s"}) {
    EXPECT_TRUE(contains(svg, piece)) << piece;
  }
  EXPECT_FALSE(contains(svg, ">512<"));
}

}  // namespace
}  // namespace ab::cli
