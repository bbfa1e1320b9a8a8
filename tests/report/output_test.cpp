// SPDX-License-Identifier: MIT
#include "report/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "report/run_self.hpp"

namespace ab::report {
namespace {

using test::Folder;
using test::text_of;

TEST(Output, CreatesPathDotPidAndAppends) {
  const Folder folder;
  const int descriptor = create_output(folder.path() + "/out", 123);
  ASSERT_GE(descriptor, 3);
  EXPECT_TRUE(write_whole(descriptor, "one\n"));
  EXPECT_TRUE(append_whole(descriptor, "two\n"));
  EXPECT_NE(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
  close(descriptor);
  EXPECT_EQ(text_of(folder.path() + "/out.123"), "one\ntwo\n");
  close(create_output(folder.path() + "/out", 123));
  EXPECT_EQ(text_of(folder.path() + "/out.123"), "");  // an old file of that name is replaced
}

TEST(Output, NeverTakesThePlaceOfAStandardStream) {
  const Folder folder;
  const int saved = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  const int descriptor = create_output(folder.path() + "/out", 1);
  const int next = open("/dev/null", O_RDONLY);
  EXPECT_EQ(next, STDIN_FILENO);
  EXPECT_GE(descriptor, 3);
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(descriptor);
}

TEST(Output, FailsWithoutAFolder) {
  errno = 0;
  EXPECT_EQ(create_output("/nonexistent/out", 1), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(write_whole(-1, "x"));
}

TEST(Output, AFullDiskLeavesWholeLinesOnly) {
  const Folder folder;
  const int descriptor = create_output(folder.path() + "/out", 1);
  struct rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small = {10, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const bool first = append_whole(descriptor, "1234567\n");
  const bool second = append_whole(descriptor, "abcdefgh\n");  // two bytes would fit
  setrlimit(RLIMIT_FSIZE, &before);
  close(descriptor);
  EXPECT_TRUE(first);
  EXPECT_FALSE(second);
  EXPECT_EQ(text_of(folder.path() + "/out.1"), "1234567\n");
}

TEST(Output, NamesTheProgram) {
  EXPECT_NE(program_name().find("report_test"), std::string::npos);
}

}  // namespace
}  // namespace ab::report
