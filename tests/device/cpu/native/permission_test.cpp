// SPDX-License-Identifier: MIT
#include "device/cpu/native/permission.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace ab::device::native {
namespace {

#if defined(__aarch64__)
constexpr const char* list_of_features = "Features";
#else
constexpr const char* list_of_features = "flags";
#endif

// What the system says of the first processor; "" where it does not speak of this architecture, as under an emulator.
std::string listed_features() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with(list_of_features)) return line.substr(line.find(':') + 1);
  }
  return "";
}

bool is_listed(const std::string& feature) {
  std::istringstream words(listed_features());
  for (std::string word; words >> word;) {
    if (word == feature) return true;
  }
  return false;
}

TEST(Permission, IsNotGivenForWhatTheProcessorLacks) {
  if (listed_features().empty()) GTEST_SKIP() << "skipped: no list of this processor's features";
  EXPECT_EQ(has_avx2(), is_listed("avx2") && is_listed("fma") && is_listed("bmi2") && is_listed("abm"));
  EXPECT_EQ(has_avx512_vnni(), is_listed("avx512_vnni") && is_listed("avx512bw") && is_listed("avx512dq") && is_listed("avx512vl"));
  EXPECT_EQ(has_dot_product(), is_listed("asimddp"));
  EXPECT_EQ(has_matrix_multiply(), is_listed("i8mm"));
  if (!is_listed("amx_int8")) {
    EXPECT_FALSE(has_amx());
    EXPECT_FALSE(may_use_amx());
  }
}

TEST(Permission, IsTheSameWheneverAsked) {
  const bool first = may_use_amx();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(may_use_amx(), first);
}

}  // namespace
}  // namespace ab::device::native
