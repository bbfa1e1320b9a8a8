// SPDX-License-Identifier: MIT
// One process per environment: which device is the default on a Mac as the simulator plays it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "device/registry.hpp"
#include "ops/context.hpp"
#include "sim/metal/simulator.hpp"

namespace ab::test {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// AB_EXPECTED is "<devices> <id of the default>".
TEST(MetalSelection, IsThatOfTheEnvironment) {
  const std::string expected = variable("AB_EXPECTED");
  if (expected.empty()) GTEST_SKIP() << "AB_EXPECTED says what to expect";
  if (variable("AB_SIM_FAST_MATH") == "1") {
    metal::set_limits({.has_math_mode = false});
    metal::ignore_compile_options(true);
  }
  ops::initialize();
  const int index = ops::index_of(*ops::current_context());
  EXPECT_EQ(std::to_string(device::count()) + " " + device::traits_of(index).id, expected);
  EXPECT_EQ(ops::current_device_index(), index);
  EXPECT_EQ(metal::violations(), 0) << metal::first_violation();
}

}  // namespace
}  // namespace ab::test
