// SPDX-License-Identifier: MIT
// Tests on the Metal simulator, and what each leaves behind: nothing told to fail, nothing lost, nothing that Metal would not forgive.
#pragma once
#include <gtest/gtest.h>

#include "sim/metal/simulator.hpp"

namespace ab::test {

class OnSimulator : public testing::Test {
 protected:
  void SetUp() override { alive_before_ = metal::alive(); }
  void TearDown() override {
    metal::fail_at(0, metal::Internal);
    metal::fail_command_buffer(0, metal::Internal);
    metal::set_limits({});
    metal::edit_texts(nullptr);
    metal::ignore_compile_options(false);
    EXPECT_EQ(metal::violations(), 0) << metal::first_violation();
    metal::forget_violations();
    EXPECT_EQ(metal::alive(), alive_before_);
  }
  long alive_before_ = 0;
};

}  // namespace ab::test
