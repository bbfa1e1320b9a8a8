// SPDX-License-Identifier: MIT
#include "spelling.hpp"

#include <gtest/gtest.h>

namespace ab::cli {
namespace {

TEST(Spelling, TheNearestWordWins) {
  const std::vector<std::string> words = {"bench", "demo", "info", "run", "selftest"};
  EXPECT_EQ(nearest_word("benhc", words), "bench");
  EXPECT_EQ(nearest_word("self-test", words), "selftest");
  EXPECT_EQ(nearest_word("ifno", words), "info");
  EXPECT_EQ(nearest_word("rum", words), "run");
  EXPECT_EQ(nearest_word("demos", words), "demo");
}

TEST(Spelling, TheFirstOnATieAndNothingOfNothing) {
  EXPECT_EQ(nearest_word("x", {"a", "b"}), "a");
  EXPECT_EQ(nearest_word("x", {}), "");
  EXPECT_EQ(nearest_word("", {"abc", "a"}), "a");
}

}  // namespace
}  // namespace ab::cli
