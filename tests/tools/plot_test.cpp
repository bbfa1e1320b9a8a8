// SPDX-License-Identifier: MIT
#include "plot.hpp"

#include <gtest/gtest.h>

namespace ab::cli {
namespace {

int count_of(const std::string& text, const std::string& piece) {
  int count = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++count;
  return count;
}

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
  EXPECT_EQ(count_of(svg, "<polyline"), 0);
}

Measurement measured_at(Index n, ABPrecision precision) {
  Measurement measured;
  measured.shape = {n, n, n};
  measured.precision = precision;
  measured.device_id = "cpu";
  measured.device.gflops = 10.0 * static_cast<double>(n);
  measured.host = Side{"libhost", 1.0, 50.0, 0.5, 0};
  measured.peers = {Side{"OpenBLAS 9.8.7", 1.0, 60.0, 0.5, 0}, Side{"BLIS 1.0", 1.0, 70.0, 0.5, 0}};
  return measured;
}

TEST(Plot, OneSizeIsBarsForEveryContender) {
  const std::string svg = svg_of({measured_at(8, AB_PRECISION_DD), measured_at(8, AB_PRECISION_FP64)});
  EXPECT_EQ(count_of(svg, "<polyline"), 0);
  EXPECT_EQ(count_of(svg, "height=\"15\""), 8);
  EXPECT_EQ(count_of(svg, "OpenBLAS 9.8.7"), 1);
}

TEST(Plot, SeveralSizesAreALineForEveryContender) {
  std::vector<Measurement> all;
  for (Index n : {64, 32, 100}) {
    for (ABPrecision precision : {AB_PRECISION_DD, AB_PRECISION_FP64}) all.push_back(measured_at(n, precision));
  }
  const std::string svg = svg_of(all);
  EXPECT_EQ(count_of(svg, "<polyline"), 5);  // two classes, the host, two peers
  EXPECT_EQ(count_of(svg, "<circle"), 15);
  for (const char* name : {"apple-bottom dd on cpu<", "apple-bottom fp64 on cpu<", "host BLAS libhost<", "OpenBLAS 9.8.7<", "BLIS 1.0<"}) {
    EXPECT_EQ(count_of(svg, name), 1) << name;
  }
  EXPECT_EQ(count_of(svg, "100x100x100: 1000 GFLOP/s"), 2);
  for (Measurement& measured : all) measured.operation = Operation::Zgemm;
  all.push_back(measured_at(32, AB_PRECISION_FP64));
  EXPECT_EQ(count_of(svg_of(all), "<polyline"), 9);  // and those of dgemm, with one class
}

}  // namespace
}  // namespace ab::cli
