// SPDX-License-Identifier: MIT
// The trace file: one per process, whole lines whatever the threads do, one warning when it cannot be written.
#include "report/trace.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/clock.hpp"
#include "core/thread_state.hpp"
#include "report/calls_of_tests.hpp"
#include "report/output.hpp"
#include "report/recording.hpp"
#include "report/run_self.hpp"

namespace ab::report {
namespace {

using ab::test::Ended;
using ab::test::Folder;
using ab::test::run_self;
using ab::test::text_of;
using nlohmann::json;
using test::host_call;

void record(const char* routine) {
  Recording().end(host_call(routine, Reason::ModeCpu));
}

TEST(Inner, DISABLED_RecordsFromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 100; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 20; ++i) record("dgemm");
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Inner, DISABLED_RecordsAndForks) {
  record("dgemm");
  const pid_t child = fork();
  if (child == 0) {
    record("zgemm");
    std::exit(0);
  }
  waitpid(child, nullptr, 0);
  const pid_t silent = fork();
  if (silent == 0) std::exit(0);
  waitpid(silent, nullptr, 0);
  record("dgemm");
}

TEST(Inner, DISABLED_LeavesTheFolderAlone) {
  const Folder folder;
  ASSERT_EQ(chdir(folder.path().c_str()), 0);
  record("dgemm");
  EXPECT_TRUE(folder.files().empty());
}

TEST(Inner, DISABLED_RecordsToAFullDisk) {
  const std::string file = std::string(getenv("AB_TRACE")) + "." + std::to_string(getpid());
  ASSERT_EQ(symlink("/dev/full", file.c_str()), 0);
  for (int i = 0; i < 3; ++i) record("dgemm");
}

TEST(Inner, DISABLED_RecordsStages) {
  Recording recording;
  CallWatch* const watch = thread_state().watch;
  ASSERT_EQ(watch, &recording);
  for (const Stage stage : {Stage::Scan, Stage::Multiply}) {
    const std::uint64_t start_ns = monotonic_ns();
    watch->ended(stage, start_ns, monotonic_ns());
  }
  watch->copied_in(100);
  watch->copied_in(20);
  watch->copied_out(8);
  for (const char operand : {'a', 'b', 'a'}) watch->read_in_place(operand);
  recording.end(host_call("dgemm", Reason::ModeCpu));
}

TEST(Inner, DISABLED_RecordsAndVanishes) {
  record("dgemm");
  _exit(0);
}

json calls_in(const std::string& file) {
  json calls = json::array();
  for (const json& event : json::parse(text_of(file))) {
    if (event["ph"] == "X") calls.push_back(event);
  }
  return calls;
}

TEST(Trace, WholeLinesFromManyThreads) {
  const Folder folder;
  const Ended ended = run_self("Inner.DISABLED_RecordsFromManyThreads", {{"AB_TRACE", folder.path() + "/t"}});
  EXPECT_EQ(ended.exit_status, 0);
  EXPECT_EQ(ended.errors, "");
  const json calls = calls_in(folder.path() + "/t." + std::to_string(ended.process_id));
  ASSERT_EQ(calls.size(), 2000u);
  std::vector<int> sequence;
  for (const json& call : calls) {
    sequence.push_back(call["args"]["seq"]);
    EXPECT_GE(call["ts"].get<double>(), 0);
    EXPECT_EQ(call["pid"], ended.process_id);
  }
  std::sort(sequence.begin(), sequence.end());
  for (std::size_t i = 0; i < sequence.size(); ++i) EXPECT_EQ(sequence[i], static_cast<int>(i) + 1);
}

TEST(Trace, AForkedChildWritesItsOwnCalls) {
  const Folder folder;
  const Ended ended = run_self("Inner.DISABLED_RecordsAndForks", {{"AB_TRACE", folder.path() + "/t"}});
  EXPECT_EQ(ended.exit_status, 0);
  ASSERT_EQ(folder.files().size(), 2u);  // the child without calls has none
  for (const std::string& file : folder.files()) {
    const json calls = calls_in(file);
    const bool parents = file == folder.path() + "/t." + std::to_string(ended.process_id);
    ASSERT_EQ(calls.size(), parents ? 2u : 1u);
    for (const json& call : calls) EXPECT_EQ(call["name"], parents ? "dgemm" : "zgemm");
    EXPECT_EQ(calls[0]["args"]["seq"], 1);
  }
}

TEST(Trace, AProcessThatVanishesLeavesWholeLines) {
  const Folder folder;
  const Ended ended = run_self("Inner.DISABLED_RecordsAndVanishes", {{"AB_TRACE", folder.path() + "/t"}});
  std::string text = text_of(folder.path() + "/t." + std::to_string(ended.process_id));
  ASSERT_EQ(text.substr(text.size() - 2), ",\n");
  EXPECT_EQ(json::parse(text.substr(0, text.size() - 2) + "]").size(), 3u);
}

TEST(Trace, AnUnwritablePathIsOneWarning) {
  const Ended ended = run_self("Inner.DISABLED_RecordsFromManyThreads", {{"AB_TRACE", "/nonexistent/t"}});
  EXPECT_EQ(ended.exit_status, 0);
  EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
  EXPECT_EQ(ended.errors.find("apple-bottom: AB_TRACE=\"/nonexistent/t\""), 0u) << ended.errors;
}

TEST(Trace, IsOffWhenNotAskedFor) {
  const Ended ended = run_self("Inner.DISABLED_LeavesTheFolderAlone", {});
  EXPECT_EQ(ended.exit_status, 0) << ended.errors;
}

TEST(Trace, AFullDiskIsOneWarning) {
  const Folder folder;
  const Ended ended = run_self("Inner.DISABLED_RecordsToAFullDisk", {{"AB_TRACE", folder.path() + "/t"}});
  EXPECT_EQ(ended.exit_status, 0);
  EXPECT_EQ(ended.errors,
            "apple-bottom: AB_TRACE=\"" + folder.path() + "/t\" cannot be written (No space left on device); tracing is off\n");
}

TEST(Trace, StagesLieInsideTheirCall) {
  const Folder folder;
  const Ended ended = run_self("Inner.DISABLED_RecordsStages", {{"AB_TRACE", folder.path() + "/t"}});
  const json events = calls_in(folder.path() + "/t." + std::to_string(ended.process_id));
  ASSERT_EQ(events.size(), 3u);
  const json& call = events[2];
  EXPECT_EQ(call["cat"], "blas");
  EXPECT_EQ(call["args"]["bytes_in"], 120);
  EXPECT_EQ(call["args"]["bytes_out"], 8);
  EXPECT_EQ(call["args"]["in_place"], "ab");
  const char* names[] = {"scan", "multiply"};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(events[i]["name"], names[i]);
    EXPECT_EQ(events[i]["cat"], "stage");
    EXPECT_EQ(events[i]["args"], json({{"seq", 1}}));
    EXPECT_GE(events[i]["ts"].get<double>(), call["ts"].get<double>());
    EXPECT_LE(events[i]["ts"].get<double>() + events[i]["dur"].get<double>(), call["ts"].get<double>() + call["dur"].get<double>() + 1e-3);
  }
}

}  // namespace
}  // namespace ab::report
