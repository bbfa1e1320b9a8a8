// SPDX-License-Identifier: MIT
// One process per environment: which device is the default, and whether a loader was looked for at all.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "apple_bottom_blas.h"
#include "core/error.hpp"
#include "device/registry.hpp"
#include "ops/context.hpp"

namespace ab::test {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool loader_is_loaded() {
  return dlopen("libvulkan.so.1", RTLD_NOW | RTLD_NOLOAD) != nullptr;
}

bool has_driver() {
  return variable("VK_DRIVER_FILES") == "/nonexistent" || device::index_of_id("vulkan:0") > 0;
}

// AB_EXPECTED is the id of the default device; AB_EXPECTED_REASON a part of why vulkan:0 was passed over.
TEST(VulkanSelection, IsThatOfTheEnvironment) {
  const std::string expected = variable("AB_EXPECTED"), reason = variable("AB_EXPECTED_REASON");
  if (expected.empty()) GTEST_SKIP() << "AB_EXPECTED says what to expect";
  ASSERT_FALSE(loader_is_loaded());
  if (!has_driver()) GTEST_SKIP() << "there is no Vulkan driver here";
  ops::initialize();
  const int index = ops::index_of(*ops::current_context());
  EXPECT_EQ(device::traits_of(index).id, expected);
  EXPECT_EQ(ops::current_device_index(), index);
  if (reason.empty()) return;
  const device::TrustState state = device::trust_of(device::index_of_id("vulkan:0"));
  EXPECT_EQ(state.trust, device::Trust::Refused);
  EXPECT_NE(state.reason.find(reason), std::string::npos) << state.reason;
}

void multiply(int n) {
  const std::vector<double> a(static_cast<std::size_t>(n * n), 2), b(static_cast<std::size_t>(n * n), 3);
  std::vector<double> c(static_cast<std::size_t>(n * n));
  ab_dgemm_blas('N', 'N', n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n);
  EXPECT_EQ(c, std::vector<double>(c.size(), 6.0 * n));
}

// Behind a driver whose compiler takes a megabyte of stack: a thread that has 64 KiB opens the device and makes its first product.
TEST(VulkanSelection, ServesThreadsWithSmallStacks) {
  if (variable("AB_FAKE_VULKAN").find("deep") == std::string::npos) GTEST_SKIP() << "for AB_FAKE_VULKAN=deep";
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 65536), 0);
  pthread_t thread;
  const auto run = [](void*) -> void* {
    multiply(20);
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  if (!has_driver()) GTEST_SKIP() << "there is no Vulkan driver here";
  EXPECT_EQ(device::traits_of(ops::current_device_index()).id, "vulkan:0");
}

TEST(VulkanSelection, HostCallsLoadNothing) {
  if (variable("AB_MODE") != "cpu") GTEST_SKIP() << "for AB_MODE=cpu";
  multiply(100);
  EXPECT_FALSE(loader_is_loaded());
}

}  // namespace
}  // namespace ab::test
