// SPDX-License-Identifier: MIT
#include "preload.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "options.hpp"

namespace ab::cli {
namespace {

TEST(Preload, AReportIsSummedUp) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/report.41") << "apple-bottom 2.0.0-dev report: pw.x, pid 41, 16 calls, 1.25 s in BLAS\n"
                                                 "host BLAS  libopenblas.so.0        device  cpu\n"
                                                 "mode auto  class fp64\n"
                                                 "routine  engine  method  reason           calls   time s\n"
                                                 "zgemm    host    vendor  below_min_dim     3911     0.05\n"
                                                 "zgemm    device  class   table_faster      1526    11.20\n"
                                                 "dgemm    split   class   table_faster         2     0.20\n"
                                                 "declines   nonfinite 0  range 0\n";
  const auto summary = read_report(folder.path() + "/report", 41);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->calls, 3911u + 1526u + 2u);
  EXPECT_EQ(summary->calls_on_device, 1528u);
  ASSERT_EQ(summary->lines.size(), 4u);
  EXPECT_EQ(summary->lines[0].rfind("routine", 0), 0u);
  EXPECT_FALSE(read_report(folder.path() + "/report", 42));
}

TEST(Preload, TheFilterIsLookedForBesideTheLibrary) {
  const TemporaryFolder folder;
  const std::string library = folder.path() + "/libapplebottom.so";
  unsetenv("LD_LIBRARY_PATH");
  EXPECT_THROW(filter_environment(library), Failure);
  std::filesystem::create_directories(folder.path() + "/applebottom/blas");
  std::ofstream(folder.path() + "/applebottom/blas/libblas.so.3") << "x";
  EXPECT_EQ(filter_environment(library).at("LD_LIBRARY_PATH"), folder.path() + "/applebottom/blas");
  setenv("LD_LIBRARY_PATH", "/a:/b", 1);
  EXPECT_EQ(filter_environment(library).at("LD_LIBRARY_PATH"), folder.path() + "/applebottom/blas:/a:/b");
  unsetenv("LD_LIBRARY_PATH");
}

TEST(Preload, WhatIsPreloadedAlreadyStaysBehind) {
#if !defined(__APPLE__)
  unsetenv("LD_PRELOAD");
  EXPECT_EQ(preload_environment("/a/lib.so").at("LD_PRELOAD"), "/a/lib.so");
  setenv("LD_PRELOAD", "other.so", 1);
  EXPECT_EQ(preload_environment("/a/lib.so").at("LD_PRELOAD"), "/a/lib.so:other.so");
  unsetenv("LD_PRELOAD");
#endif
}

}  // namespace
}  // namespace ab::cli
