// SPDX-License-Identifier: MIT
#include "trace_summary.hpp"

#include <gtest/gtest.h>

#include "traces_of_tests.hpp"

namespace ab::cli {
namespace {

using test::call_line;
using test::opening;
using test::stage_line;
using test::TraceFile;

TEST(TraceSummary, ShapeClasses) {
  EXPECT_EQ(shape_class({64, 64, 64}), "tiny square");
  EXPECT_EQ(shape_class({65, 64, 64}), "small square");
  EXPECT_EQ(shape_class({256, 256, 256}), "small square");
  EXPECT_EQ(shape_class({1024, 1024, 1024}), "medium square");
  EXPECT_EQ(shape_class({1025, 1024, 1024}), "large square");
  EXPECT_EQ(shape_class({256, 256, 9104}), "medium long");
  EXPECT_EQ(shape_class({256, 256, 1024}), "medium square");  // four times, not more
  EXPECT_EQ(shape_class({2000, 2000, 100}), "medium flat");
  EXPECT_EQ(shape_class({9104, 256, 256}), "medium thin");
  EXPECT_EQ(shape_class({0, 5, 5}), "empty");
}

std::vector<Trace> two_ranks() {
  const TraceFile one(opening() + call_line("dgemm", 0, 1, 1) + stage_line(Stage::Scan, 1, 2, 2) + stage_line(Stage::Multiply, 2, 4, 2) +
                      call_line("zgemm", 1, 5, 2));
  const TraceFile other(opening() + call_line("dgemm", 0, 2, 1) + report::trace_closing(test::process));
  return {read_trace(one.name()), read_trace(other.name())};
}

TEST(TraceSummary, AddsUpOverAllFiles) {
  const Summary summary = summarize(two_ranks());
  EXPECT_EQ(summary.calls, 3);
  EXPECT_DOUBLE_EQ(summary.seconds, 7);
  ASSERT_EQ(summary.lines.size(), 2u);
  EXPECT_EQ(summary.lines[0].routine, "zgemm");  // most time first
  EXPECT_DOUBLE_EQ(summary.lines[0].seconds, 4);
  EXPECT_EQ(summary.lines[1].calls, 2);
  EXPECT_DOUBLE_EQ(summary.lines[1].flops, 2 * 2 * 60);
  using Stages = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(summary.stage_seconds, (Stages{{"scan", 1}, {"multiply", 2}}));
}

TEST(TraceSummary, Text) {
  const std::vector<Trace> traces = two_ranks();
  const std::string text = text_of(summarize(traces), traces, 1);
  EXPECT_NE(text.find("pw.x, pid 41, rank 3"), std::string::npos) << text;
  EXPECT_NE(text.find("2 calls, 5.00 s, not ended in order\n"), std::string::npos) << text;
  EXPECT_NE(text.find("3 calls, 7.00 s in BLAS\n"), std::string::npos) << text;
  EXPECT_NE(text.find("zgemm    tiny square  device  class   mode_gpu      1   4.000     57.1"), std::string::npos) << text;
  EXPECT_EQ(text.find("dgemm"), std::string::npos) << text;
  EXPECT_NE(text.find("and 1 more lines\nstages s   scan 1.000  multiply 2.000\n"), std::string::npos) << text;
}

TEST(TraceSummary, Json) {
  const std::vector<Trace> traces = two_ranks();
  const nlohmann::ordered_json json = json_of(summarize(traces), traces, 0);
  EXPECT_EQ(json["files"].size(), 2u);
  EXPECT_EQ(json["files"][0]["ended"], false);
  EXPECT_EQ(json["files"][1]["ended"], true);
  EXPECT_EQ(json["lines"].size(), 2u);
  EXPECT_EQ(json["calls"], 3);
  EXPECT_EQ(json["stages"]["multiply"], 2.0);
}

TEST(TraceSummary, OfNothing) {
  const std::vector<Trace> traces = {read_trace(TraceFile(opening()).name())};
  const Summary summary = summarize(traces);
  EXPECT_EQ(summary.calls, 0);
  EXPECT_NE(text_of(summary, traces, 0).find("0 calls, 0.00 s in BLAS\n"), std::string::npos);
}

}  // namespace
}  // namespace ab::cli
