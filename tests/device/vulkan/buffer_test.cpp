// SPDX-License-Identifier: MIT
#include "device/vulkan/buffer.hpp"

#include <cstring>

#include "sim/vulkan/failing.hpp"

namespace ab::device::vulkan {
namespace {

class VulkanBuffers : public test::OnVulkan {
 protected:
  static std::shared_ptr<LogicalDevice> open() { return std::make_shared<LogicalDevice>(*instance(), 0); }
};

TEST_F(VulkanBuffers, OfTheHostCanBeTouched) {
  const Buffer buffer(open(), 1000, Placement::Host);
  ASSERT_NE(buffer.mapped(), nullptr);
  std::memset(buffer.mapped(), 7, buffer.bytes());
  EXPECT_EQ(buffer.bytes(), 1000u);
  EXPECT_NE(buffer.handle(), VkBuffer(VK_NULL_HANDLE));
}

TEST_F(VulkanBuffers, OfNothingExistAllTheSame) {
  const Buffer buffer(open(), 0, Placement::Device);
  EXPECT_NE(buffer.handle(), VkBuffer(VK_NULL_HANDLE));
}

TEST_F(VulkanBuffers, SayHowMuchTheDeviceBinds) {
  const auto device = open();
  const std::uint64_t most = device->physical().traits.max_buffer_bytes;
  try {
    const Buffer buffer(device, most + 1, Placement::Device);
    ADD_FAILURE() << "there was room";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::AllocFailed);
    const std::string text =
        "vulkan:0: a buffer of " + std::to_string(most + 1) + " bytes, the device has " + std::to_string(most) + " in one";
    EXPECT_EQ(error.what(), text);
  }
}

TEST_F(VulkanBuffers, WhoseMemoryFailsAreErrorsAndLoseNothing) {
  const auto device = open();
  const long before = test::failing().alive();
  for (long n = 1; n <= 4; ++n) {  // buffer, memory, binding, mapping
    test::failing().fail_at(n, VK_ERROR_OUT_OF_DEVICE_MEMORY, test::VulkanFailures::One);
    try {
      const Buffer buffer(device, 64, Placement::Host);
      ADD_FAILURE() << n;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::AllocFailed) << error.what();
    }
    EXPECT_EQ(test::failing().alive(), before) << n;
  }
}

}  // namespace
}  // namespace ab::device::vulkan
