// SPDX-License-Identifier: MIT
#include "trace_plot.hpp"

#include <gtest/gtest.h>

#include "traces_of_tests.hpp"

namespace ab::cli {
namespace {

using test::call_line;
using test::opening;
using test::TraceFile;

std::size_t count_of(const std::string& text, const std::string& piece) {
  std::size_t count = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++count;
  return count;
}

TEST(TracePlot, ShowsLanesAndMarks) {
  const TraceFile file(opening() + call_line("dgemm", 0, 1, 1) + call_line("dgemm", 3, 4, 2) + call_line("dgemm", 4, 8, 3));
  const std::string svg = svg_of({read_trace(file.name())});
  EXPECT_EQ(svg.find("<svg "), 0u);
  EXPECT_NE(svg.find("</svg>\n"), std::string::npos);
  EXPECT_EQ(count_of(svg, "rank 3 41/7"), 1u);            // one lane
  EXPECT_EQ(count_of(svg, "fill-opacity=\"1.00\""), 2u);  // 0 to 1 and 3 to 8 seconds
  EXPECT_EQ(count_of(svg, "<circle"), 2u);                // two calls on one place
  EXPECT_NE(svg.find("dgemm 3x4x5, 1000.000 ms, mode_gpu, 2 calls here"), std::string::npos);
}

TEST(TracePlot, DoesNotGrowWithTheCalls) {
  std::string few = opening(), many = opening();
  for (std::uint64_t i = 0; i < 20; ++i) few += call_line("dgemm", i, i + 1, i + 1);
  for (std::uint64_t i = 0; i < 2000; ++i) many += call_line("dgemm", i, i + 1, i + 1);
  EXPECT_LT(svg_of({read_trace(TraceFile(many).name())}).size(), 2 * svg_of({read_trace(TraceFile(few).name())}).size());
}

TEST(TracePlot, OfNothing) {
  const std::string svg = svg_of({read_trace(TraceFile(opening()).name())});
  EXPECT_NE(svg.find("no calls"), std::string::npos);
}

TEST(TracePlot, CallsWithoutDurationOrSizeAreDrawn) {
  report::Call call = test::device_call("dgemm");
  call.m = 0;
  const TraceFile file(opening() + report::trace_event(test::process, call, {5, 5, 1}, 1));
  EXPECT_EQ(count_of(svg_of({read_trace(file.name())}), "<circle"), 1u);
}

}  // namespace
}  // namespace ab::cli
