// SPDX-License-Identifier: MIT
#include "device/vulkan/loader.hpp"

#include <thread>

#include "core/error.hpp"
#include "sim/vulkan/failing.hpp"

namespace ab::device::vulkan {
namespace {

using VulkanLoader = test::OnVulkan;

TEST_F(VulkanLoader, IsLoadedOnceWhoeverAsks) {
  std::vector<const Instance*> found(8);
  std::vector<std::thread> threads;
  for (const Instance*& each : found) threads.emplace_back([&each] { each = instance(); });
  for (std::thread& thread : threads) thread.join();
  for (const Instance* each : found) EXPECT_EQ(each, instance());
}

TEST_F(VulkanLoader, NamesTheCallThatADriverLacks) {
  Instance poor = *instance();
  poor.get_device_proc_addr = [](VkDevice, const char*) -> PFN_vkVoidFunction { return nullptr; };
  try {
    calls_of(poor, nullptr, "vulkan:7");
    ADD_FAILURE() << "nothing was missing";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::NoDevice);
    EXPECT_STREQ(error.what(), "vulkan:7: the driver has no vkDestroyDevice");
  }
}

TEST(VulkanResults, HaveVulkansNames) {
  EXPECT_EQ(text_of(VK_ERROR_DEVICE_LOST), "VK_ERROR_DEVICE_LOST");
  EXPECT_EQ(text_of(VK_ERROR_OUT_OF_DEVICE_MEMORY), "VK_ERROR_OUT_OF_DEVICE_MEMORY");
  EXPECT_EQ(text_of(static_cast<VkResult>(-1000)), "VkResult -1000");
}

}  // namespace
}  // namespace ab::device::vulkan
