// SPDX-License-Identifier: MIT
#include "child.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace ab::cli {
namespace {

ChildCommand shell(const std::string& script) {
  ChildCommand command;
  command.arguments = {"sh", "-c", script};
  command.output = Output::Capture;
  return command;
}

TEST(Child, StatusAndOutputComeBack) {
  const ChildResult child = run_child(shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(child.status, 7);
  EXPECT_EQ(child.output, "out\nerr\n");
  EXPECT_FALSE(child.timed_out);
}

TEST(Child, EnvironmentAndFolderAreItsOwn) {
  const TemporaryFolder folder;
  ChildCommand command = shell("echo $AB_TEST_WORD; pwd -P");
  command.environment = {{"AB_TEST_WORD", "a b"}};
  command.folder = folder.path();
  EXPECT_EQ(run_child(command).output, "a b\n" + std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST(Child, ASignalIs128More) {
  EXPECT_EQ(run_child(shell("kill -TERM $$")).status, 128 + 15);
}

TEST(Child, ProgramsThatCannotBeStarted) {
  ChildCommand command;
  command.arguments = {"no-such-program-of-apple-bottom"};
  command.output = Output::Capture;
  EXPECT_EQ(run_child(command).status, 127);
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/text") << "not a program";
  command.arguments = {folder.path() + "/text"};
  EXPECT_EQ(run_child(command).status, 126);
}

TEST(Child, ALimitEndsItAndWhatItStarted) {
  ChildCommand command = shell("echo started; sleep 60; echo never");
  command.limit_s = 1;
  const auto start = std::chrono::steady_clock::now();
  const ChildResult child = run_child(command);
  EXPECT_TRUE(child.timed_out);
  EXPECT_EQ(child.output, "started\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Child, ATemporaryFolderGoesWithItsContents) {
  std::string path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    std::ofstream(path + "/file") << "x";
    EXPECT_TRUE(std::filesystem::exists(path + "/file"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Child, InstalledProgramsAreFound) {
  EXPECT_TRUE(is_installed("sh"));
  EXPECT_TRUE(is_installed("/bin/sh"));
  EXPECT_FALSE(is_installed("no-such-program-of-apple-bottom"));
}

}  // namespace
}  // namespace ab::cli
