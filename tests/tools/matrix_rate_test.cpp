// SPDX-License-Identifier: MIT
#include "matrix_rate.hpp"

#include <gtest/gtest.h>

#include "device/cpu/native/permission.hpp"

namespace ab::cli {
namespace {

TEST(MatrixRate, IsThereWhereTheUnitIs) {
  for (int time = 0; time < 3; ++time) {
    const std::optional<double> tops = measure_matrix_rate();
    EXPECT_EQ(tops.has_value(), device::native::may_use_amx());
    if (!tops) continue;
    EXPECT_GT(*tops, 0.05);   // slower than any vector unit: the clock or the count is wrong
    EXPECT_LT(*tops, 16.38);  // 2048 operations a cycle at 8 GHz
  }
}

}  // namespace
}  // namespace ab::cli
