// SPDX-License-Identifier: MIT
#include "device/vulkan/physical_device.hpp"

#include <cstdlib>

#include "sim/vulkan/failing.hpp"

namespace ab::device::vulkan {
namespace {

class VulkanPhysicalDevice : public test::OnVulkan {
 protected:
  void TearDown() override {
    unsetenv("AB_FAKE_VULKAN");
    OnVulkan::TearDown();
  }
  static PhysicalDevice described_as(const char* words) {
    setenv("AB_FAKE_VULKAN", words, 1);
    return describe(*instance(), 0);
  }
};

TEST_F(VulkanPhysicalDevice, IsDescribed) {
  const PhysicalDevice found = described_as("");
  EXPECT_EQ(found.traits.id, "vulkan:0");
  EXPECT_FALSE(found.traits.name.empty());
  EXPECT_NE(found.traits.features.find("Vulkan 1."), std::string::npos) << found.traits.features;
  EXPECT_GT(found.traits.memory_bytes, 0u);
  EXPECT_LE(found.traits.max_buffer_bytes, found.limits.maxStorageBufferRange);
  EXPECT_FALSE(found.traits.fp64);
  EXPECT_FALSE(found.traits.unified_memory);
  EXPECT_EQ(found.why_unusable, "");
}

TEST_F(VulkanPhysicalDevice, SoftwareIsForThoseWhoAskForIt) {
  const PhysicalDevice gpu = described_as("discrete");
  EXPECT_FALSE(gpu.traits.only_on_request);
  EXPECT_FALSE(gpu.shares_memory);
  EXPECT_EQ(gpu.traits.most_terms, 0);
  EXPECT_EQ(gpu.traits.features.find("GPU, Vulkan"), 0u) << gpu.traits.features;
  const PhysicalDevice software = described_as("software");
  EXPECT_TRUE(software.traits.only_on_request);
  EXPECT_TRUE(software.shares_memory);
  EXPECT_GT(software.traits.most_terms, software.traits.most_terms_at_once);
  EXPECT_GT(software.traits.most_terms_at_once, 0);
  EXPECT_EQ(software.traits.features.find("software renderer, Vulkan"), 0u) << software.traits.features;
}

TEST_F(VulkanPhysicalDevice, SaysWhatItLacks) {
  EXPECT_EQ(described_as("no_compute").why_unusable, "it has no queue that computes");
  EXPECT_EQ(described_as("no_int64").why_unusable, "it has no integers of 64 bits (shaderInt64)");
  EXPECT_EQ(described_as("few_threads").why_unusable, "threads of a group: 128, the kernels need 256");
  EXPECT_EQ(described_as("few_bytes").why_unusable, "bytes shared by a group: 16384, the kernels need 20480");
  EXPECT_EQ(described_as("small_buffers").traits.max_buffer_bytes, std::uint64_t{4} << 20);
}

constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

PhysicalDevice with_memory(std::initializer_list<VkMemoryPropertyFlags> types) {
  PhysicalDevice device;
  for (const VkMemoryPropertyFlags flags : types) device.memory.memoryTypes[device.memory.memoryTypeCount++].propertyFlags = flags;
  return device;
}

TEST(VulkanMemoryTypes, OfAGpuWithMemoryOfItsOwn) {
  const PhysicalDevice gpu = with_memory({0, local, visible | coherent, visible | coherent | cached, local | visible | coherent});
  EXPECT_EQ(choose_memory_type(gpu, 0b11111, Placement::Device), 1u);
  EXPECT_EQ(choose_memory_type(gpu, 0b11111, Placement::Host), 3u);
  EXPECT_EQ(choose_memory_type(gpu, 0b10111, Placement::Host), 2u);  // 3 is not permitted
  EXPECT_EQ(choose_memory_type(gpu, 0b00101, Placement::Device), 0u);
  EXPECT_EQ(choose_memory_type(gpu, 0b00011, Placement::Host), std::nullopt);
  EXPECT_EQ(choose_memory_type(gpu, 0, Placement::Device), std::nullopt);
  EXPECT_FALSE(is_host_memory(gpu, 3));
}

TEST(VulkanMemoryTypes, OfADeviceThatSharesTheHosts) {
  PhysicalDevice shared = with_memory({local, local | visible | coherent, local | visible | coherent | cached});
  shared.shares_memory = true;
  EXPECT_EQ(choose_memory_type(shared, 0b111, Placement::Device), 2u);
  EXPECT_EQ(choose_memory_type(shared, 0b011, Placement::Device), 0u);  // uncached: slower to read than a copy
  EXPECT_TRUE(is_host_memory(shared, 2));
  EXPECT_FALSE(is_host_memory(shared, 1));
}

}  // namespace
}  // namespace ab::device::vulkan
