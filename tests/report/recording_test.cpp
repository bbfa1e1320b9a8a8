// SPDX-License-Identifier: MIT
// When a report is written, and where; that nothing is when nothing was asked for.
#include "report/recording.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "core/thread_state.hpp"
#include "report/calls_of_tests.hpp"
#include "report/facts.hpp"
#include "report/ledger.hpp"
#include "report/run_self.hpp"

namespace ab::report {
namespace {

using ab::test::Ended;
using ab::test::Folder;
using ab::test::run_self;
using ab::test::text_of;
using test::host_call;

void record(const char* routine) {
  Recording().end(host_call(routine, Reason::ModeCpu));
}

TEST(Inner, DISABLED_DoesNothing) {}

TEST(Inner, DISABLED_RecordsOnce) {
  set_facts_source([] {
    Facts facts;
    facts.host_blas = "libtest.so";
    return facts;
  });
  record("dgemm");
}

TEST(Inner, DISABLED_RecordsInAThreadAndAtExit) {
  std::atexit([] { record("zgemm"); });  // registered before ours, so it runs after the report
  std::thread([] { record("dgemm"); }).join();
}

TEST(Inner, DISABLED_RecordsAndForksTwice) {
  record("dgemm");
  for (const bool calls : {true, false}) {
    const pid_t child = fork();
    if (child == 0) {
      if (calls) record("zgemm");
      std::exit(0);
    }
    waitpid(child, nullptr, 0);
  }
}

TEST(Recording, IsOnWhenTheEnvironmentAsks) {
  Settings settings;
  EXPECT_FALSE(recording(settings));
  settings.report = true;
  EXPECT_TRUE(recording(settings));
  settings.report = false;
  settings.trace_path = "x";
  EXPECT_TRUE(recording(settings));
  settings = {};
  settings.profile = true;
  EXPECT_TRUE(recording(settings));
  settings = {};
  settings.profile_json_path = "x";
  EXPECT_TRUE(recording(settings));
}

TEST(Recording, AReportGoesToStandardErrorWhenCallsWereSeen) {
  const Ended ended = run_self("Inner.DISABLED_RecordsOnce", {{"AB_REPORT", "1"}});
  EXPECT_EQ(ended.exit_status, 0);
  EXPECT_EQ(ended.errors.find("apple-bottom "), 0u) << ended.errors;
  EXPECT_NE(ended.errors.find(" 1 calls"), std::string::npos) << ended.errors;
  EXPECT_NE(ended.errors.find("host BLAS  libtest.so"), std::string::npos) << ended.errors;
  EXPECT_NE(ended.errors.find("pid " + std::to_string(ended.process_id)), std::string::npos);
}

TEST(Recording, NothingIsWrittenWithoutCallsOrRequest) {
  EXPECT_EQ(run_self("Inner.DISABLED_DoesNothing", {{"AB_REPORT", "1"}}).errors, "");
  EXPECT_EQ(run_self("Inner.DISABLED_RecordsOnce", {{"AB_REPORT", "0"}}).errors, "");
}

TEST(Recording, AFileIsWrittenAlways) {
  for (const char* test : {"Inner.DISABLED_DoesNothing", "Inner.DISABLED_RecordsOnce"}) {
    const Folder folder;
    const Ended ended = run_self(test, {{"AB_REPORT", folder.path() + "/r"}, {"AB_MODE", "gup"}});
    const std::string text = text_of(folder.path() + "/r." + std::to_string(ended.process_id));
    const bool called = std::string(test) == "Inner.DISABLED_RecordsOnce";
    EXPECT_NE(text.find(called ? " 1 calls" : " 0 calls"), std::string::npos) << text;
    EXPECT_EQ(text.find("hint") == std::string::npos, called);
    EXPECT_EQ(folder.files().size(), 1u);
    // The warning belongs to the first call that needs settings; without any the end of the process stays silent.
    EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), called ? 1 : 0) << ended.errors;
  }
}

TEST(Recording, CallsOfEndedThreadsCountAndTheReportIsWrittenOnce) {
  const Ended ended = run_self("Inner.DISABLED_RecordsInAThreadAndAtExit", {{"AB_REPORT", "1"}});
  EXPECT_EQ(ended.exit_status, 0);
  EXPECT_NE(ended.errors.find(" 1 calls"), std::string::npos) << ended.errors;
  EXPECT_EQ(ended.errors.find("report:"), ended.errors.rfind("report:")) << ended.errors;
}

TEST(Recording, AForkedChildReportsItsOwnCalls) {
  const Folder folder;
  const Ended ended = run_self("Inner.DISABLED_RecordsAndForksTwice", {{"AB_REPORT", folder.path() + "/r"}});
  EXPECT_EQ(ended.exit_status, 0);
  ASSERT_EQ(folder.files().size(), 2u);  // the child without calls has nothing to say
  for (const std::string& file : folder.files()) {
    const bool parents = file == folder.path() + "/r." + std::to_string(ended.process_id);
    const std::string text = text_of(file);
    EXPECT_NE(text.find(" 1 calls"), std::string::npos) << text;
    EXPECT_NE(text.find(parents ? "\ndgemm " : "\nzgemm "), std::string::npos) << text;
  }
}

TEST(Recording, AnUnwritableReportIsOneWarning) {
  for (const char* test : {"Inner.DISABLED_DoesNothing", "Inner.DISABLED_RecordsOnce"}) {
    const Ended ended = run_self(test, {{"AB_REPORT", "/nonexistent/r"}});
    EXPECT_EQ(ended.exit_status, 0);
    EXPECT_EQ(ended.errors.find("apple-bottom: AB_REPORT=\"/nonexistent/r\""), 0u) << ended.errors;
    EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
  }
}

TEST(Inner, DISABLED_RecordsWithAFullDisk) {
  for (const char* variable : {"AB_REPORT", "AB_PROFILE_JSON"}) {
    const std::string file = std::string(getenv(variable)) + "." + std::to_string(getpid());
    ASSERT_EQ(symlink("/dev/full", file.c_str()), 0);
  }
  record("dgemm");
}

TEST(Recording, AFullDiskIsOneWarningAFile) {
  const Folder folder;
  const Ended ended =
      run_self("Inner.DISABLED_RecordsWithAFullDisk", {{"AB_REPORT", folder.path() + "/r"}, {"AB_PROFILE_JSON", folder.path() + "/p"}});
  EXPECT_EQ(ended.exit_status, 0);
  EXPECT_EQ(ended.errors, "apple-bottom: AB_REPORT=\"" + folder.path() + "/r\" cannot be written (No space left on device); no report\n" +
                              "apple-bottom: AB_PROFILE_JSON=\"" + folder.path() +
                              "/p\" cannot be written (No space left on device); no profile\n");
}

TEST(Inner, DISABLED_RecordsTwoFetches) {
  Recording recording;
  recording.ended(Stage::Fetch, 1'000'000'000, 2'500'000'000);
  recording.ended(Stage::Fetch, 5'000'000'000, 5'250'000'000);
  recording.end(host_call("dgemm", Reason::ModeGpu));
}

TEST(Recording, StagesOfCallsAreSummed) {
  const Ended ended = run_self("Inner.DISABLED_RecordsTwoFetches", {{"AB_REPORT", "1"}});
  EXPECT_NE(ended.errors.find("  fetch 1.75\n"), std::string::npos) << ended.errors;
}

TEST(Recording, ACallThatFailsIsNotRecordedAndNobodyListensAfterwards) {
  {
    Recording outer;
    { Recording failed; }
    EXPECT_EQ(thread_state().watch, &outer);
  }
  EXPECT_EQ(thread_state().watch, nullptr);
}

TEST(Recording, FactsAreEmptyWhenTheirSourceFails) {
  set_facts_source([]() -> Facts { throw 1; });
  EXPECT_EQ(known_facts().host_blas, "");
  set_facts_source(nullptr);
  EXPECT_EQ(known_facts().device, "");
}

}  // namespace
}  // namespace ab::report
