// SPDX-License-Identifier: MIT
// What a Vulkan device says of itself before it is opened, and what of it the backend needs.
#pragma once
#include <optional>

#include "device/device.hpp"
#include "device/vulkan/matrices.hpp"

namespace ab::device::vulkan {

struct PhysicalDevice {
  VkPhysicalDevice handle = nullptr;
  Traits traits;
  VkPhysicalDeviceLimits limits{};
  VkPhysicalDeviceMemoryProperties memory{};
  bool shares_memory = false;      // with the host: what is not copied twice is faster
  std::uint32_t queue_family = 0;  // the first that computes
  bool packed_dot = false;         // products of four bytes a word in hardware
  std::optional<Matrices> matrices;
  std::string why_unusable;  // what it lacks for the kernels; "" when nothing
};

PhysicalDevice describe(const Instance& instance, int ordinal);

enum class Placement { Device, Host };

/// The best of the permitted memory types (bits by number) for a buffer that mostly the device or mostly the host touches.
std::optional<std::uint32_t> choose_memory_type(const PhysicalDevice& device, std::uint32_t permitted, Placement placement);

/// Whether the host may touch memory of that type at any time, at full speed.
bool is_host_memory(const PhysicalDevice& device, std::uint32_t type);

}  // namespace ab::device::vulkan
