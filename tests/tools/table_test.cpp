// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <gtest/gtest.h>

namespace ab::cli {
namespace {

TEST(Table, WordsToTheLeftNumbersToTheRight) {
  Table table({"op", "ms", "note"});
  table.add({"dgemm", "1.5", "-"});
  table.add({"z", "-", "slow"});
  table.add({"longer", "1234.25", ""});
  EXPECT_EQ(table.text(),
            "op           ms  note\n"
            "dgemm       1.5  -\n"
            "z             -  slow\n"
            "longer  1234.25\n");
}

}  // namespace
}  // namespace ab::cli
