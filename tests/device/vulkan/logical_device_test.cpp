// SPDX-License-Identifier: MIT
#include "device/vulkan/logical_device.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

#include "core/process.hpp"
#include "sim/vulkan/failing.hpp"

namespace ab::device::vulkan {
namespace {

using VulkanLogicalDevice = test::OnVulkan;

Error error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  return Error(Status::Ok, "no error");
}

TEST_F(VulkanLogicalDevice, ThatCannotComputeSaysWhy) {
  setenv("AB_FAKE_VULKAN", "no_compute", 1);
  const Error error = error_of([] { LogicalDevice(*instance(), 0); });
  unsetenv("AB_FAKE_VULKAN");
  EXPECT_EQ(error.status(), Status::NoDevice);
  EXPECT_STREQ(error.what(), "vulkan:0 cannot be used: it has no queue that computes");
}

TEST_F(VulkanLogicalDevice, ThatDoesNotOpenIsNone) {
  test::failing().fail_at(1, VK_ERROR_INITIALIZATION_FAILED, test::VulkanFailures::One);
  const Error error = error_of([] { LogicalDevice(*instance(), 0); });
  EXPECT_EQ(error.status(), Status::NoDevice);
  EXPECT_STREQ(error.what(), "vulkan:0: vkCreateDevice failed: VK_ERROR_INITIALIZATION_FAILED");
}

TEST_F(VulkanLogicalDevice, TurnsResultsIntoErrors) {
  LogicalDevice device(*instance(), 0);
  device.check(VK_SUCCESS, "vkNothing");
  for (const VkResult result : {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_TOO_MANY_OBJECTS}) {
    EXPECT_EQ(error_of([&] { device.check(result, "vkSomething"); }).status(), Status::AllocFailed) << result;
  }
  const Error failed = error_of([&] { device.check(VK_ERROR_UNKNOWN, "vkSomething", Status::ShaderCompile); });
  EXPECT_EQ(failed.status(), Status::ShaderCompile);
  device.require_usable();
}

TEST_F(VulkanLogicalDevice, OnceLostStaysLost) {
  LogicalDevice device(*instance(), 0);
  const Error first = error_of([&] { device.check(VK_ERROR_DEVICE_LOST, "vkQueueSubmit"); });
  EXPECT_EQ(first.status(), Status::NoDevice);
  EXPECT_STREQ(first.what(), "vulkan:0: vkQueueSubmit failed: VK_ERROR_DEVICE_LOST");
  const Error later = error_of([&] { device.require_usable(); });
  EXPECT_EQ(later.status(), Status::NoDevice);
  EXPECT_EQ(std::string(later.what()), "vulkan:0 was lost: " + std::string(first.what()));
}

TEST_F(VulkanLogicalDevice, IsNoneInAForkedChild) {
  watch_forks();
  LogicalDevice device(*instance(), 0);
  const pid_t child = fork();
  if (child == 0) {
    const bool refused = error_of([&] { device.require_usable(); }).status() == Status::NoDevice;
    const bool opens_none = error_of([] { LogicalDevice(*instance(), 0); }).status() == Status::NoDevice;
    _exit(refused && opens_none && !device.may_release() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(device.may_release());
}

}  // namespace
}  // namespace ab::device::vulkan
