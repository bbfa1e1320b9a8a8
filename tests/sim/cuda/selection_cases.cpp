// SPDX-License-Identifier: MIT
// One process per environment: how many devices there are, which one is the default, and whether the driver was looked for at all.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "apple_bottom_blas.h"
#include "device/registry.hpp"
#include "ops/context.hpp"

namespace ab::test {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool driver_is_loaded() {
  return dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) != nullptr;
}

// AB_EXPECTED is "<devices> <id of the default>".
TEST(CudaSelection, IsThatOfTheEnvironment) {
  const std::string expected = variable("AB_EXPECTED");
  if (expected.empty()) GTEST_SKIP() << "AB_EXPECTED says what to expect";
  ASSERT_FALSE(driver_is_loaded());
  ops::initialize();
  const int index = ops::index_of(*ops::current_context());
  EXPECT_EQ(std::to_string(device::count()) + " " + device::traits_of(index).id, expected);
  EXPECT_EQ(ops::current_device_index(), index);
}

TEST(CudaSelection, HostCallsLoadNoDriver) {
  if (variable("AB_MODE") != "cpu") GTEST_SKIP() << "for AB_MODE=cpu";
  constexpr int n = 100;
  const std::vector<double> a(n * n, 2), b(n * n, 3);
  std::vector<double> c(n * n);
  ab_dgemm_blas('N', 'N', n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
  EXPECT_EQ(c, std::vector<double>(n * n, 600));
  EXPECT_FALSE(driver_is_loaded());
}

}  // namespace
}  // namespace ab::test
