// SPDX-License-Identifier: MIT
#include "plot.hpp"

#include <gtest/gtest.h>

namespace ab::cli {
namespace {

TEST(Plot, BarsAreInProportionAndTextIsEscaped) {
  Measurement measured;
  measured.shape = {8, 8, 8};
  measured.device_id = "cpu<&";
  measured.device.gflops = 50.0;
  measured.host = Side{"lib<x>", 1.0, 100.0, 0.5, 0};
  const std::string svg = svg_of({measured});
  EXPECT_NE(svg.find("<svg xmlns"), std::string::npos);
  EXPECT_NE(svg.find("width=\"480.0\""), std::string::npos);  // the largest
  EXPECT_NE(svg.find("width=\"240.0\""), std::string::npos);
  EXPECT_NE(svg.find("cpu&lt;&amp;"), std::string::npos);
  EXPECT_NE(svg.find("lib&lt;x>"), std::string::npos);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

}  // namespace
}  // namespace ab::cli
