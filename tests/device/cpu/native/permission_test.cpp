// SPDX-License-Identifier: MIT
#include "device/cpu/native/permission.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace ab::device::native {
namespace {

bool is_listed(const std::string& flag) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == flag) return true;
    }
    return false;
  }
  return false;
}

TEST(Permission, IsNotGivenForWhatTheProcessorLacks) {
  if (!std::ifstream("/proc/cpuinfo")) GTEST_SKIP() << "skipped: no /proc/cpuinfo";
  EXPECT_EQ(has_avx512_vnni(), is_listed("avx512_vnni") && is_listed("avx512bw") && is_listed("avx512dq") && is_listed("avx512vl"));
  if (!is_listed("amx_int8")) {
    EXPECT_FALSE(may_use_amx());
  }
}

TEST(Permission, IsTheSameWheneverAsked) {
  const bool first = may_use_amx();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(may_use_amx(), first);
}

}  // namespace
}  // namespace ab::device::native
