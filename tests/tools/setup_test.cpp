// SPDX-License-Identifier: MIT
#include "setup.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "apple_bottom.h"

namespace ab::cli {
namespace {

TEST(Setup, SaysWhereAndHow) {
  setenv("BLIS_ARCH_TYPE", "skx", 1);
  unsetenv("OPENBLAS_CORETYPE");
  const nlohmann::ordered_json json = json_of(describe_setup());
  EXPECT_EQ(json["date"].get<std::string>().size(), std::string("2026-11-30T12:00:00Z").size());
  EXPECT_EQ(json["date"].get<std::string>().back(), 'Z');
  EXPECT_EQ(json["library_version"], ab_version());
  EXPECT_NE(json["cpu"], "");
  EXPECT_GE(json["threads"], 1);
  EXPECT_EQ(json["environment"]["BLIS_ARCH_TYPE"], "skx");
  EXPECT_FALSE(json["environment"].contains("OPENBLAS_CORETYPE"));
}

}  // namespace
}  // namespace ab::cli
