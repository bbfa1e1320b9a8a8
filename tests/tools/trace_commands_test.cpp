// SPDX-License-Identifier: MIT
// `trace`, `replay` and `verify` as programs: a trace is made, read, drawn and run again.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "child.hpp"
#include "core/routines.hpp"
#include "traces_of_tests.hpp"

namespace ab::cli {
namespace {

using nlohmann::json;

ChildResult applebottom(std::vector<std::string> arguments, const std::map<std::string, std::string>& environment = {}) {
  ChildCommand command;
  arguments.insert(arguments.begin(), APPLEBOTTOM);
  command.arguments = std::move(arguments);
  command.environment = environment;
  command.output = Output::Capture;
  command.limit_s = 100;
  return run_child(command);
}

bool contains(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

std::string text_of_file(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(name).rdbuf();
  return text.str();
}

/// A trace of real calls: those of a small benchmark.
class RealTrace {
 public:
  RealTrace() {
    child_ = applebottom(
        {"bench", "--op", "dgemm,zgemm", "--shape", "40x30x50,33x64x20", "--runs", "2", "--warmup", "1", "--classes", "fp64,strict"},
        {{"AB_TRACE", folder_.path() + "/t"}, {"AB_REPORT", folder_.path() + "/r"}});
  }
  int status() const { return child_.status; }
  std::string file() const { return folder_.path() + "/t." + std::to_string(child_.pid); }
  std::string report() const { return text_of_file(folder_.path() + "/r." + std::to_string(child_.pid)); }
  std::string folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  ChildResult child_;
};

TEST(TraceCommands, ATraceIsStrictJsonWithStagesInsideTheirCalls) {
  const RealTrace trace;
  ASSERT_EQ(trace.status(), 0);
  std::map<int, std::pair<double, double>> calls;
  std::map<std::string, int> stages;
  const json events = json::parse(text_of_file(trace.file()));
  for (const json& event : events) {
    if (event["ph"] == "X" && event["cat"] != "stage")
      calls[event["args"]["seq"]] = {event["ts"], event["ts"].get<double>() + event["dur"].get<double>()};
  }
  ASSERT_FALSE(calls.empty());
  for (const json& event : events) {
    if (event["ph"] != "X" || event["cat"] != "stage") continue;
    ++stages[event["name"]];
    const auto& [start, end] = calls.at(event["args"]["seq"]);
    EXPECT_GE(event["ts"].get<double>(), start);
    EXPECT_LE(event["ts"].get<double>() + event["dur"].get<double>(), end + 1e-3);
  }
  for (const char* stage : {"stage", "scan", "plan", "residues", "multiply", "fetch"}) EXPECT_GT(stages[stage], 0) << stage;
}

// Calls by routine, engine, method and reason: the table of the report, added up over shapes, is that of the summary.
TEST(TraceCommands, TheSummaryAgreesWithTheReport) {
  const RealTrace trace;
  const ChildResult child = applebottom({"trace", "summary", trace.file(), "--json"});
  ASSERT_EQ(child.status, 0) << child.output;
  const json summary = json::parse(child.output);
  std::map<std::string, int> by_summary, by_report;
  for (const json& line : summary["lines"]) {
    const auto word = [&](const char* key) { return line[key].get<std::string>() + " "; };
    by_summary[word("routine") + word("engine") + word("method") + word("reason")] += line["calls"].get<int>();
  }
  std::istringstream report(trace.report());
  std::string line;
  bool in_table = false;
  while (std::getline(report, line)) {
    if (line.starts_with("stages")) in_table = false;
    if (in_table) {
      std::istringstream words(line);
      std::string routine, engine, method, reason;
      int calls = 0;
      words >> routine >> engine >> method >> reason >> calls;
      by_report[routine + " " + engine + " " + method + " " + reason + " "] += calls;
    }
    if (line.starts_with("routine")) in_table = true;
  }
  EXPECT_FALSE(by_report.empty());
  EXPECT_EQ(by_summary, by_report);
}

TEST(TraceCommands, PlotWritesAPicture) {
  const RealTrace trace;
  const std::string picture = trace.folder() + "/t.svg";
  EXPECT_EQ(applebottom({"trace", "plot", trace.file(), "--output", picture}).status, 0);
  EXPECT_TRUE(contains(text_of_file(picture), "dgemm 40x30x50"));
  EXPECT_EQ(applebottom({"trace", "plot", trace.file(), "--output", "/no/such/folder/t.svg"}).status, 3);
  EXPECT_EQ(applebottom({"trace", "plot", trace.file()}).status, 2);
}

TEST(TraceCommands, ReplayMakesTheCallsAgain) {
  const RealTrace trace;
  const ChildResult child = applebottom({"replay", trace.file(), "--device", "cpu", "--json"});
  ASSERT_EQ(child.status, 0) << child.output;
  const json again = json::parse(child.output);
  EXPECT_EQ(again["kinds"].size(), 8u);  // two routines, shapes and classes
  EXPECT_EQ(again["calls"], again["checksums"].size());
  EXPECT_GT(again["calls"], 0);
  EXPECT_TRUE(again["left_out"].empty());
  const json once_more = json::parse(applebottom({"replay", trace.file(), "--device", "cpu", "--json"}, {{"AB_NUM_THREADS", "1"}}).output);
  EXPECT_EQ(once_more["checksums"], again["checksums"]);
  const json others = json::parse(applebottom({"replay", trace.file(), "--device", "cpu", "--json", "--seed", "2"}).output);
  EXPECT_NE(others["checksums"], again["checksums"]);
  const json few = json::parse(applebottom({"replay", trace.file(), "--device", "cpu", "--json", "--limit", "3"}).output);
  EXPECT_EQ(few["calls"], 3);
  const json one = json::parse(applebottom({"replay", trace.file(), "--device", "cpu", "--json", "--call", "2"}).output);
  ASSERT_EQ(one["checksums"].size(), 1u);
  EXPECT_EQ(one["checksums"][0], again["checksums"][1]);
}

TEST(TraceCommands, ReplayComparesDevices) {
  const RealTrace trace;
  const ChildResult child = applebottom({"replay", trace.file(), "--device", "cpu,cpu", "--limit", "4"});
  EXPECT_EQ(child.status, 0);
  EXPECT_TRUE(contains(child.output, "4 calls replayed on 2 devices, 0 with different bits\n")) << child.output;
}

TEST(TraceCommands, ReplayInAMode) {
  const RealTrace trace;
  const ChildResult child = applebottom({"replay", trace.file(), "--mode", "cpu", "--limit", "2"});
  EXPECT_EQ(child.status, 0);
  EXPECT_TRUE(contains(child.output, "2 calls replayed\n")) << child.output;
}

TEST(TraceCommands, ATraceThatWasCutOffIsReadToItsEnd) {
  const RealTrace trace;
  const std::string text = text_of_file(trace.file());
  const test::TraceFile cut(text.substr(0, text.size() / 2));
  EXPECT_EQ(applebottom({"trace", "summary", cut.name()}).status, 0);
  EXPECT_EQ(applebottom({"replay", cut.name(), "--device", "cpu", "--limit", "2"}).status, 0);
}

TEST(TraceCommands, BadLinesAreNamedAndTheCheckFails) {
  const test::TraceFile file(test::opening() + "rubbish\n" + test::call_line("dgemm", 0, 1, 1));
  const ChildResult child = applebottom({"trace", "summary", file.name()});
  EXPECT_EQ(child.status, 1);
  EXPECT_TRUE(contains(child.output, file.name() + ":4: is not JSON")) << child.output;
  EXPECT_TRUE(contains(child.output, "1 calls"));
}

TEST(TraceCommands, WhatReplayCannotDoIsSaid) {
  report::Call wrong = test::device_call("dgemm");
  wrong.lda = 1;
  const test::TraceFile file(test::opening() + test::call_line("dtrsm", 0, 1, 1) + test::call_line("dgemv", 0, 1, 3) +
                             report::trace_event(test::process, wrong, {0, 1, 2}, 1));
  const ChildResult child = applebottom({"replay", file.name(), "--device", "cpu"});
  EXPECT_EQ(child.status, 0);
  EXPECT_TRUE(contains(child.output, "left out: dgemv is not replayed, 1 calls")) << child.output;
  EXPECT_TRUE(contains(child.output, "left out: a letter is none of L or R, 1 calls")) << child.output;
  EXPECT_TRUE(contains(child.output, "left out: its leading dimensions do not fit its shape, 1 calls")) << child.output;
}

// The same call of handles, of CBLAS by rows, and with scalars that are no numbers.
TEST(TraceCommands, ReplayReadsEveryFront) {
  std::string text = test::opening();
  std::uint64_t sequence = 0;
  for (const report::Api api :
       {report::Api::Fortran, report::Api::Cblas, report::Api::C, report::Api::Handle, report::Api::Batch, report::Api::DeviceBuffer}) {
    for (const char* routine : {"dgemm", "zgemm"}) {
      report::Call call = test::device_call(routine);
      call.api = api;
      call.letters = {.ta = 'T', .tb = 'C'};
      const bool by_rows = api == report::Api::Cblas || api == report::Api::Handle || api == report::Api::Batch;
      call.lda = by_rows ? call.m : call.k;
      call.ldb = by_rows ? call.k : call.n;
      call.ldc = by_rows ? call.n : call.m;
      if (call.complex) call.beta = {0.5, INFINITY};
      text += report::trace_event(test::process, call, {0, 1, ++sequence}, 1);
    }
  }
  const test::TraceFile file(text);
  const ChildResult child = applebottom({"replay", file.name(), "--device", "cpu", "--json"});
  ASSERT_EQ(child.status, 0) << child.output;
  const json again = json::parse(child.output);
  EXPECT_EQ(again["calls"], 12);
  EXPECT_TRUE(again["left_out"].empty()) << again["left_out"];
}

// Every routine, as Fortran and CBLAS callers write it; the leading dimensions of the latter fit rows only.
std::string level3_trace() {
  std::string text = test::opening();
  std::uint64_t sequence = 0;
  for (const Routine& routine : routines) {
    for (const report::Api api : {report::Api::Fortran, report::Api::Cblas}) {
      const bool by_rows = api == report::Api::Cblas;
      report::Call call = test::device_call(routine.name.data());
      call.api = api;
      call.alpha = 0.5, call.beta = 0.25;
      call.m = 70, call.n = 30, call.k = 9;
      const auto ld = [&](Index rows, Index columns) { return (by_rows ? columns : rows) + 1; };
      switch (variants_of(routine)) {
        case Variants::TriangleAndTranspose:
          call.letters = {.uplo = 'L', .trans = routine.hermitian ? 'C' : 'T'};
          call.m = 30;
          call.lda = ld(9, 30), call.ldb = routine.family == Family::RankTwo ? ld(9, 30) : 0, call.ldc = ld(30, 30);
          break;
        case Variants::SideAndTriangle:
          call.letters = {.side = 'L', .uplo = 'U'};
          if (routine.family != Family::Symmetric) call.letters = {.side = 'L', .uplo = 'U', .trans = 'T', .diag = 'N'};
          call.k = 70;
          call.lda = 70, call.ldb = ld(70, 30), call.ldc = routine.family == Family::Symmetric ? ld(70, 30) : 0;
          break;
        default:
          call.letters = {.uplo = routine.family == Family::Gemmt ? 'U' : '\0', .ta = 'N', .tb = 'T'};
          if (routine.family == Family::Gemmt) call.m = 30;
          call.lda = ld(call.m, 9), call.ldb = ld(30, 9), call.ldc = ld(call.m, 30);
      }
      const bool batch = routine.family == Family::GemmBatch || routine.family == Family::GemmBatchStrided;
      if (batch) call.products = 3;
      text += report::trace_event(test::process, call, {0, 1, ++sequence}, 1);
    }
  }
  return text;
}

TEST(TraceCommands, ReplayMakesEveryRoutineOfBlas) {
  const test::TraceFile file(level3_trace());
  const ChildResult child = applebottom({"replay", file.name(), "--device", "cpu,cpu", "--json"});
  ASSERT_EQ(child.status, 0) << child.output;
  const json again = json::parse(child.output);
  EXPECT_EQ(again["calls"], 2 * routine_count);
  EXPECT_TRUE(again["left_out"].empty()) << again["left_out"];
  std::set<std::string> letters;
  for (const json& kind : again["kinds"]) letters.insert(kind["routine"].get<std::string>() + " " + kind["letters"].get<std::string>());
  EXPECT_TRUE(letters.contains("dtrsm LUTN") && letters.contains("zher2k LC") && letters.contains("zhemm LU")) << again["kinds"];
  const json serial = json::parse(applebottom({"replay", file.name(), "--device", "cpu", "--json"}, {{"AB_NUM_THREADS", "1"}}).output);
  for (std::size_t i = 0; i < again["checksums"].size(); ++i) {
    EXPECT_EQ(again["checksums"][i]["bits"]["cpu"], serial["checksums"][i]["bits"]["cpu"]);
  }
}

// What programs of the library have recorded, through the BLAS ABI and handles.
TEST(TraceCommands, ReplayMakesUpdatesAndSolvesAgain) {
  for (const bool resident : {false, true}) {
    const TemporaryFolder folder;
    std::vector<std::string> arguments = {"bench", "--op", "dsyrk,zherk,dtrsm", "--shape", "70x70x70", "--runs", "1", "--warmup", "1"};
    if (resident) arguments.emplace_back("--resident");
    const ChildResult traced = applebottom(arguments, {{"AB_TRACE", folder.path() + "/t"}, {"AB_DEVICE", "cpu"}});
    ASSERT_EQ(traced.status, 0) << traced.output;
    const std::string file = folder.path() + "/t." + std::to_string(traced.pid);
    const ChildResult child = applebottom({"replay", file, "--device", "cpu", "--json"});
    ASSERT_EQ(child.status, 0) << child.output;
    const json again = json::parse(child.output);
    EXPECT_TRUE(again["left_out"].empty()) << again["left_out"];
    EXPECT_EQ(again["kinds"].size(), 3u) << again["kinds"];
    for (const json& kind : again["kinds"]) EXPECT_EQ(kind["front"], resident ? "handle" : "blas");
    EXPECT_EQ(json::parse(applebottom({"replay", file, "--device", "cpu", "--json"}).output)["checksums"], again["checksums"]);
  }
}

TEST(TraceCommands, WrongUsageAndWhatIsNotThere) {
  EXPECT_EQ(applebottom({"trace"}).status, 2);
  EXPECT_EQ(applebottom({"trace", "summary"}).status, 2);
  EXPECT_EQ(applebottom({"trace", "summary", "/no/such/file"}).status, 3);
  EXPECT_EQ(applebottom({"replay"}).status, 2);
  EXPECT_EQ(applebottom({"replay", "/no/such/file"}).status, 3);
  const test::TraceFile file(test::opening() + test::call_line("dgemm", 0, 1, 1));
  EXPECT_EQ(applebottom({"replay", file.name(), "--device", "abacus"}).status, 3);
  EXPECT_EQ(applebottom({"replay", file.name(), "--mode", "sideways"}).status, 2);
  EXPECT_EQ(applebottom({"replay", file.name(), "--call", "9"}).status, 3);
  EXPECT_EQ(applebottom({"verify", "--data", "dreadful"}).status, 2);
  EXPECT_EQ(applebottom({"verify", "--op", "sgemm"}).status, 2);
  EXPECT_EQ(applebottom({"verify", "--shape", "4x4"}).status, 2);
  EXPECT_EQ(applebottom({"verify", "--classes", "quadruple"}).status, 2);
  EXPECT_EQ(applebottom({"verify", "--count", "0"}).status, 2);
  EXPECT_EQ(applebottom({"verify", "--device", "abacus"}).status, 3);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"trace", "summary"}, {"trace", "plot"}, {"replay"}, {"verify"}}) {
    std::vector<std::string> arguments = command;
    arguments.emplace_back("--help");
    const ChildResult child = applebottom(arguments);
    EXPECT_EQ(child.status, 0);
    EXPECT_TRUE(contains(child.output, "--json")) << command[0];
  }
}

TEST(TraceCommands, VerifyFindsEveryFamilyRight) {
  const ChildResult child = applebottom({"verify", "--device", "cpu", "--shape", "30x20x70,1x9x300", "--count", "2", "--json"});
  const json found = json::parse(child.output);
  EXPECT_EQ(child.status, 0) << child.output;
  EXPECT_EQ(found["failures"], 0);
  EXPECT_GE(found["products"].size(), 2u * 7 * 2 * 2 * 4);
  for (const json& product : found["products"]) {
    EXPECT_TRUE(product["data"] != "integers" || product["error_u"] == 0) << product;
    EXPECT_EQ(product["certified"].is_null(), product["data"] == "special") << product;
  }
}

TEST(TraceCommands, VerifyPrintsATable) {
  const ChildResult child =
      applebottom({"verify", "--device", "cpu", "--op", "dgemm", "--shape", "30x20x100", "--classes", "fp64", "--data", "graded"});
  EXPECT_EQ(child.status, 0) << child.output;
  EXPECT_EQ(child.output.find("op     class  data    shape      device  bits"), 0u) << child.output;
  EXPECT_TRUE(contains(child.output, "1 products, 1 set of bits, 0 failures\n")) << child.output;
}

}  // namespace
}  // namespace ab::cli
