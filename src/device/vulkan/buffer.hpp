// SPDX-License-Identifier: MIT
// A storage buffer with memory of its own. Streams keep the buffers of commands that are not done, so it dies only after them.
#pragma once
#include <cstddef>
#include <memory>

#include "device/vulkan/logical_device.hpp"

namespace ab::device::vulkan {

class Buffer {
 public:
  /// Throws Error(AllocFailed) when there is no memory or the device cannot bind that much.
  Buffer(std::shared_ptr<LogicalDevice> device, std::size_t bytes, Placement placement);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  VkBuffer handle() const { return handle_; }
  std::size_t bytes() const { return bytes_; }
  std::byte* mapped() const { return mapped_; }  // null when the host does not see it

 private:
  void create(Placement placement);
  void release() noexcept;

  const std::shared_ptr<LogicalDevice> device_;
  const std::size_t bytes_;
  VkBuffer handle_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::byte* mapped_ = nullptr;
};

}  // namespace ab::device::vulkan
