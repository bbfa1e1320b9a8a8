// SPDX-License-Identifier: MIT
#include "core/clock.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace ab {
namespace {

TEST(Clock, GoesForward) {
  const std::uint64_t start = monotonic_ns();
  usleep(1000);
  EXPECT_GT(monotonic_ns(), start + 900'000);
}

}  // namespace
}  // namespace ab
