// SPDX-License-Identifier: MIT
// Trace lines as JSON readers see them.
#include "report/trace_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/version.hpp"
#include "report/calls_of_tests.hpp"

namespace ab::report {
namespace {

using nlohmann::json;

const TraceProcess process{.program = "pw.x", .process_id = 41235, .start_ns = 1'000'000'000, .unix_ns = 1796083200000000000};

json parsed_event(const Call& call, const Span& span = {1'001'020'125, 1'006'140'625, 7}) {
  const std::string line = trace_event(process, call, span, 41240);
  EXPECT_EQ(line.substr(line.size() - 2), ",\n");
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  return json::parse(line.substr(0, line.size() - 2));
}

TEST(TraceText, TheWholeFileIsStrictJson) {
  const std::string file =
      trace_opening(process, {}, {}) + trace_event(process, test::host_call("dgemm", Reason::ModeCpu), {}, 1) + trace_closing(process);
  const json events = json::parse(file);
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0]["name"], "process_name");
  EXPECT_EQ(events[0]["args"]["name"], "pw.x");
  EXPECT_EQ(events[1]["name"], "applebottom");
  EXPECT_EQ(events[3]["ph"], "M");
}

TEST(TraceText, TheOpeningDescribesTheProcess) {
  Settings settings;
  settings.rank = 3;
  settings.mode = Mode::Gpu;
  Facts facts;
  facts.host_blas = "libopenblas.so.0";
  facts.device = "cuda:0";
  facts.device_name = "NVIDIA \"H200\"";
  const json events = json::parse(trace_opening(process, facts, settings) + "{}]");
  const json& about = events[1]["args"];
  EXPECT_EQ(about["format"], 1);
  EXPECT_EQ(about["version"], version);
  EXPECT_EQ(about["unix_ns"], 1796083200000000000);
  EXPECT_EQ(about["rank"], 3);
  EXPECT_EQ(about["device"], "cuda:0");
  EXPECT_EQ(about["device_name"], "NVIDIA \"H200\"");
  EXPECT_EQ(about["host_blas"], "libopenblas.so.0");
  EXPECT_EQ(about["mode"], "gpu");
  EXPECT_EQ(events[0]["pid"], 41235);
}

TEST(TraceText, AnEventIsTheExampleOfTheDocuments) {
  Call call = test::device_call("zgemm", Reason::TableFaster);
  call.complex = true;
  call.letters = {.ta = 'C', .tb = 'N'};
  call.m = call.n = 256;
  call.k = call.lda = call.ldb = 9104;
  call.ldc = 256;
  call.product.complex_form = 3;
  call.bytes_in = 74579968;
  call.bytes_out = 1048576;
  EXPECT_EQ(trace_event(process, call, {1'001'020'125, 1'006'140'625, 7}, 41240),
            "{\"name\":\"zgemm\",\"cat\":\"blas\",\"ph\":\"X\",\"ts\":1020.125,\"dur\":5120.500,\"pid\":41235,\"tid\":41240,\"args\":{"
            "\"seq\":7,\"api\":\"fortran\",\"ta\":\"C\",\"tb\":\"N\",\"m\":256,\"n\":256,\"k\":9104,\"lda\":9104,\"ldb\":9104,\"ldc\":256,"
            "\"alpha\":[1,0],\"beta\":[0,0],\"class\":\"fp64\",\"engine\":\"device\",\"method\":\"class\",\"scheme\":\"crt_int8\","
            "\"device\":\"cuda:0\",\"moduli\":14,\"guard\":2,\"bound\":180.5,\"escalations\":0,\"form\":3,\"reason\":\"table_faster\","
            "\"fallback\":\"\",\"bytes_in\":74579968,\"bytes_out\":1048576,\"in_place\":\"\"}},\n");
}

TEST(TraceText, LettersAreThoseThatTheRoutineHas) {
  const auto letters_of = [](const Letters& letters) {
    Call call = test::host_call("dtrsm", Reason::ModeCpu);
    call.letters = letters;
    const std::string event = trace_event(process, call, {}, 1);
    const std::size_t from = event.find("\"api\":\"fortran\",") + 16, to = event.find("\"m\"");
    return event.substr(from, to - from);
  };
  EXPECT_EQ(letters_of({.side = 'L', .uplo = 'U', .trans = 'T', .diag = 'N'}),
            "\"side\":\"L\",\"uplo\":\"U\",\"trans\":\"T\",\"diag\":\"N\",");
  EXPECT_EQ(letters_of({.uplo = 'L', .trans = 'C'}), "\"uplo\":\"L\",\"trans\":\"C\",");
  EXPECT_EQ(letters_of({.uplo = 'L', .ta = 'N', .tb = 'C'}), "\"uplo\":\"L\",\"ta\":\"N\",\"tb\":\"C\",");
}

TEST(TraceText, AStageIsTheExampleOfTheDocuments) {
  EXPECT_EQ(stage_event(process, Stage::Multiply, {1'001'520'310, 1'004'532'560, 7}, 41240),
            "{\"name\":\"multiply\",\"cat\":\"stage\",\"ph\":\"X\",\"ts\":1520.310,\"dur\":3012.250,\"pid\":41235,\"tid\":41240,\"args\":{"
            "\"seq\":7}},"
            "\n");
}

TEST(TraceText, AHostCall) {
  Call call = test::host_call("dgemm", Reason::ModeGpu);
  call.api = Api::Cblas;
  call.product.fallback_reason = Reason::Nonfinite;
  const json event = parsed_event(call);
  EXPECT_EQ(event["cat"], "blas");
  EXPECT_EQ(event["ts"], 1020.125);
  const json& args = event["args"];
  EXPECT_EQ(args["api"], "cblas");
  EXPECT_EQ(args["engine"], "host");
  EXPECT_EQ(args["method"], "vendor");
  EXPECT_EQ(args["device"], "");
  EXPECT_TRUE(args["bound"].is_null());
  EXPECT_EQ(args["guard"], -1);
  EXPECT_EQ(args["reason"], "mode_gpu");
  EXPECT_EQ(args["fallback"], "nonfinite");
  EXPECT_EQ(args["alpha"], 1);
}

TEST(TraceText, ScalarsReadBackToTheSameDouble) {
  Call call = test::host_call("dgemm", Reason::ModeCpu);
  const double values[] = {0.1, 1.0 / 3, 1e22, 1e23, 5e-324, std::numeric_limits<double>::max(), -2.5, 123456789.0};
  for (const double value : values) {
    call.alpha = value;
    EXPECT_EQ(parsed_event(call)["args"]["alpha"].get<double>(), value);
  }
  call.alpha = -0.0;
  EXPECT_TRUE(std::signbit(parsed_event(call)["args"]["alpha"].get<double>()));
  call.alpha = NAN;
  call.beta = -INFINITY;
  EXPECT_EQ(parsed_event(call)["args"]["alpha"], "nan");
  EXPECT_EQ(parsed_event(call)["args"]["beta"], "-inf");
  call.complex = true;
  call.beta = {0.1, INFINITY};
  EXPECT_EQ(parsed_event(call)["args"]["beta"], json({0.1, "inf"}));
}

TEST(TraceText, TimesHaveThreeDecimals) {
  const Call call = test::host_call("dgemm", Reason::ModeCpu);
  const std::string line = trace_event(process, call, {1'000'000'001, 1'000'001'002, 1}, 1);
  EXPECT_NE(line.find("\"ts\":0.001,\"dur\":1.001,"), std::string::npos) << line;
  const std::string before = trace_event(process, call, {999'998'999, 1'000'000'000, 1}, 1);
  EXPECT_NE(before.find("\"ts\":-1.001,\"dur\":1.001,"), std::string::npos) << before;
}

TEST(TraceText, CategoriesFollowTheFront) {
  const std::pair<Api, const char*> fronts[] = {{Api::Fortran, "blas"}, {Api::C, "blas"},       {Api::Handle, "handle"},
                                                {Api::Async, "handle"}, {Api::Batch, "handle"}, {Api::DeviceBuffer, "device_buffer"}};
  for (const auto& [api, category] : fronts) {
    Call call = test::host_call("dgemm", Reason::Resident);
    call.api = api;
    EXPECT_EQ(parsed_event(call)["cat"], category);
  }
}

TEST(TraceText, NamesAreEscaped) {
  TraceProcess odd = process;
  odd.program = "a\"b\\c\n\x01";
  EXPECT_EQ(json::parse(trace_opening(odd, {}, {}) + "{}]")[0]["args"]["name"], odd.program);
}

}  // namespace
}  // namespace ab::report
