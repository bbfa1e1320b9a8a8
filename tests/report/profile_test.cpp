// SPDX-License-Identifier: MIT
// The profile: bins, its text, and JSON as specified.
#include "report/profile.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/version.hpp"
#include "report/calls_of_tests.hpp"
#include "report/recording.hpp"
#include "report/run_self.hpp"

namespace ab::report {
namespace {

using ab::test::Ended;
using ab::test::Folder;
using ab::test::run_self;
using ab::test::text_of;
using nlohmann::json;

ProfileLine line() {
  ProfileLine line;
  line.routine = "zgemm";
  line.calls = 4;
  line.elapsed_ns = 3'000'000'000;
  line.device_calls = 1;
  line.most = {300, 200, 9104};
  line.sum = {1000, 402, 9200};
  line.bin_calls = {3, 0, 1, 0, 0, 0, 0, 0};
  line.bin_ns = {1'000'000'000, 0, 2'000'000'000, 0, 0, 0, 0, 0};
  return line;
}

TEST(Profile, BinsByTheLargerDimension) {
  EXPECT_EQ(bin_of(0, 0), 0u);
  EXPECT_EQ(bin_of(32, 1), 0u);
  EXPECT_EQ(bin_of(1, 33), 1u);
  EXPECT_EQ(bin_of(128, 128), 1u);
  EXPECT_EQ(bin_of(512, 129), 2u);
  EXPECT_EQ(bin_of(1024, 1), 3u);
  EXPECT_EQ(bin_of(2048, 1), 4u);
  EXPECT_EQ(bin_of(4096, 1), 5u);
  EXPECT_EQ(bin_of(8192, 1), 6u);
  EXPECT_EQ(bin_of(8193, 1), 7u);
}

TEST(Profile, Json) {
  const json profile = json::parse(profile_json({line(), line()}, 41));
  EXPECT_EQ(profile["format"], 1);
  EXPECT_EQ(profile["version"], version);
  EXPECT_EQ(profile["pid"], 41);
  ASSERT_EQ(profile["routines"].size(), 2u);
  const json expected = {{"name", "zgemm"},
                         {"calls", 4},
                         {"total_ns", 3'000'000'000},
                         {"device_calls", 1},
                         {"max", {300, 200, 9104}},
                         {"mean", {250, 100, 2300}},
                         {"bins", {32, 128, 512, 1024, 2048, 4096, 8192}},
                         {"bin_calls", {3, 0, 1, 0, 0, 0, 0, 0}},
                         {"bin_ns", {1'000'000'000, 0, 2'000'000'000, 0, 0, 0, 0, 0}}};
  EXPECT_EQ(profile["routines"][1], expected);
}

TEST(Profile, Text) {
  EXPECT_EQ(profile_text({}, "x", 1), "");
  EXPECT_EQ(profile_text({line()}, "pw.x", 41),
            "apple-bottom " + std::string(version) +
                " profile: pw.x, pid 41\n"
                "routine        calls     time s     mean ms  on device   max m       n       k  mean m       n       k\n"
                "zgemm              4      3.000    750.0000       25 %     300     200    9104     250     100    2300\n"
                "  max(m,n)       <=32     <=128     <=512    <=1024    <=2048    <=4096    <=8192      more\n"
                "  calls             3         0         1         0         0         0         0         0\n"
                "  time s        1.000     0.000     2.000     0.000     0.000     0.000     0.000     0.000\n");
}

TEST(Inner, DISABLED_ProfilesTwoRoutines) {
  for (int i = 0; i < 3; ++i) {
    Recording recording;
    usleep(2000);
    recording.end(test::device_call("zgemm", Reason::ModeGpu));
  }
  Recording().end(test::host_call("dgemm", Reason::ModeCpu));
}

json profile_of(const ab::test::Variables& variables) {
  const Folder folder;
  ab::test::Variables all = variables;
  all.emplace_back("AB_PROFILE_JSON", folder.path() + "/p");
  const Ended ended = run_self("Inner.DISABLED_ProfilesTwoRoutines", all);
  EXPECT_EQ(ended.exit_status, 0);
  EXPECT_EQ(ended.errors, "");
  const std::string text = text_of(folder.path() + "/p." + std::to_string(ended.process_id));
  if (text.empty()) return nullptr;
  const json profile = json::parse(text);
  EXPECT_EQ(profile["pid"], ended.process_id);
  return profile["routines"];
}

TEST(Profile, OfAProcess) {
  const json routines = profile_of({});
  ASSERT_EQ(routines.size(), 2u);
  EXPECT_EQ(routines[0]["name"], "zgemm");  // most time first
  EXPECT_EQ(routines[0]["calls"], 3);
  EXPECT_EQ(routines[0]["device_calls"], 3);
  EXPECT_GE(routines[0]["total_ns"], 6'000'000);
  EXPECT_EQ(routines[0]["max"], json({3, 4, 5}));
  EXPECT_EQ(routines[0]["bin_calls"][0], 3);
  EXPECT_EQ(routines[1]["device_calls"], 0);
}

TEST(Profile, LeavesOutShortCalls) {
  const json routines = profile_of({{"AB_PROFILE_THRESHOLD_NS", "1000000"}});
  ASSERT_EQ(routines.size(), 1u);
  EXPECT_EQ(routines[0]["calls"], 3);
  EXPECT_EQ(profile_of({{"AB_PROFILE_THRESHOLD_NS", "100000000000"}}), nullptr);
}

TEST(Profile, OnStandardError) {
  const Ended ended = run_self("Inner.DISABLED_ProfilesTwoRoutines", {{"AB_PROFILE", "1"}});
  EXPECT_EQ(ended.exit_status, 0);
  EXPECT_EQ(ended.errors.find("apple-bottom "), 0u) << ended.errors;
  EXPECT_NE(ended.errors.find("\nzgemm              3 "), std::string::npos) << ended.errors;
}

TEST(Profile, AnUnwritableFileIsOneWarning) {
  const Ended ended = run_self("Inner.DISABLED_ProfilesTwoRoutines", {{"AB_PROFILE_JSON", "/nonexistent/p"}});
  EXPECT_EQ(ended.exit_status, 0);
  EXPECT_EQ(ended.errors, "apple-bottom: AB_PROFILE_JSON=\"/nonexistent/p\" cannot be written (No such file or directory); no profile\n");
}

}  // namespace
}  // namespace ab::report
