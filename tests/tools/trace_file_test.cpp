// SPDX-License-Identifier: MIT
// Traces are read as the library writes them, also those that stop in the middle of a line.
#include "trace_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "report/trace_text.hpp"
#include "traces_of_tests.hpp"

namespace ab::cli {
namespace {

using test::call_line;
using test::opening;
using test::stage_line;
using test::TraceFile;

TEST(TraceFile, ReadsWhatTheLibraryWrites) {
  const TraceFile file(opening() + stage_line(Stage::Multiply, 2, 3, 1) + call_line("zgemm", 1, 5, 1) +
                       report::trace_closing(test::process));
  const Trace trace = read_trace(file.name());
  EXPECT_EQ(trace.program, "pw.x");
  EXPECT_EQ(trace.process, 41);
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.host_blas, "libtest.so");
  EXPECT_TRUE(trace.ended);
  EXPECT_TRUE(trace.bad_lines.empty());
  ASSERT_EQ(trace.calls.size(), 1u);
  const TracedCall& call = trace.calls[0];
  EXPECT_EQ(call.routine, "zgemm");
  EXPECT_EQ(call.category, "blas");
  EXPECT_EQ(call.api, "fortran");
  EXPECT_EQ(call.precision, "fp64");
  EXPECT_EQ(call.engine, "device");
  EXPECT_EQ(call.method, "class");
  EXPECT_EQ(call.reason, "mode_gpu");
  EXPECT_EQ(text_of(call.shape), "3x4x5");
  EXPECT_EQ(call.flops(), 8 * 60);
  EXPECT_DOUBLE_EQ(call.start_us, 1e6);
  EXPECT_DOUBLE_EQ(call.duration_us, 4e6);
  EXPECT_EQ(call.sequence, 1);
  EXPECT_EQ(call.alpha, std::complex<double>(1, -2));
  EXPECT_TRUE(std::isnan(call.beta.real()));
  EXPECT_TRUE(std::isinf(call.beta.imag()));
  ASSERT_EQ(trace.stages.size(), 1u);
  EXPECT_EQ(trace.stages[0].name, "multiply");
  EXPECT_DOUBLE_EQ(trace.stages[0].duration_us, 1e6);
}

TEST(TraceFile, AFallbackIsTheReason) {
  report::Call call = test::device_call("dgemm");
  call.product.fallback_reason = Reason::Nonfinite;
  const TraceFile file(opening() + report::trace_event(test::process, call, {0, 1, 1}, 1));
  EXPECT_EQ(read_trace(file.name()).calls.at(0).reason, "nonfinite");
}

// A crash may leave any beginning of the file.
TEST(TraceFile, EveryBeginningIsReadableUpToItsEnd) {
  const std::string begin = opening();
  const std::string whole = begin + call_line("dgemm", 0, 1, 1) + call_line("dgemm", 1, 2, 2) + report::trace_closing(test::process);
  for (std::size_t length = begin.size(); length < whole.size(); ++length) {
    const TraceFile file(whole.substr(0, length));
    const Trace trace = read_trace(file.name());
    EXPECT_TRUE(trace.bad_lines.empty()) << length << " " << trace.bad_lines[0];
    const std::string seen = whole.substr(0, length);
    const auto whole_calls =
        static_cast<std::size_t>((seen.find("\"seq\":1,") != std::string::npos) + (seen.find("\"seq\":2,") != std::string::npos));
    EXPECT_LE(trace.calls.size(), whole_calls) << length;
    EXPECT_GE(trace.calls.size() + 1, whole_calls) << length;
  }
}

TEST(TraceFile, NamesBadLinesAndReadsTheOthers) {
  const TraceFile file(opening() + "nonsense\n{\"ph\":\"X\",\"cat\":\"blas\"},\n{\"ph\":\"B\",\"name\":\"x\"},\n" +
                       call_line("dgemm", 0, 1, 1));
  const Trace trace = read_trace(file.name());
  EXPECT_EQ(trace.calls.size(), 1u);
  ASSERT_EQ(trace.bad_lines.size(), 3u);
  EXPECT_EQ(trace.bad_lines[0], file.name() + ":4: is not JSON");
  EXPECT_EQ(trace.bad_lines[1].find(file.name() + ":5: is no event of ours: "), 0u) << trace.bad_lines[1];
  EXPECT_EQ(trace.bad_lines[2], file.name() + ":6: is no event of ours: an event of phase \"B\"");
}

TEST(TraceFile, ComesInTheOrderOfStarts) {
  const TraceFile file(opening() + call_line("zgemm", 1, 2, 2) + call_line("dgemm", 0, 3, 1));
  const Trace trace = read_trace(file.name());
  EXPECT_EQ(trace.calls.at(0).routine, "dgemm");
  EXPECT_EQ(trace.calls.at(1).routine, "zgemm");
}

TEST(TraceFile, WhatIsNoTraceIsSaidSo) {
  const auto status_of = [](const std::string& name) {
    try {
      read_trace(name);
      return Exit::Fine;
    } catch (const Failure& failure) {
      return failure.status();
    }
  };
  EXPECT_EQ(status_of("/no/such/file"), Exit::NotAvailable);
  for (const char* text :
       {"", "[\n", "[\n]\n", "hello\n", "[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"x\"}},\n"}) {
    EXPECT_EQ(status_of(TraceFile(text).name()), Exit::NotAvailable) << text;
  }
}

}  // namespace
}  // namespace ab::cli
