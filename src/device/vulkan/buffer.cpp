// SPDX-License-Identifier: MIT
#include "device/vulkan/buffer.hpp"

#include <algorithm>

namespace ab::device::vulkan {

Buffer::Buffer(std::shared_ptr<LogicalDevice> device, std::size_t bytes, Placement placement)
    : device_(std::move(device)), bytes_(std::max<std::size_t>(bytes, 16)) {
  device_->require_usable();
  const std::uint64_t most = device_->physical().traits.max_buffer_bytes;
  if (bytes_ > most) {
    throw Error(Status::AllocFailed,
                device_->id() + ": a buffer of " + std::to_string(bytes_) + " bytes, the device has " + std::to_string(most) + " in one");
  }
  try {
    create(placement);
  } catch (...) {
    release();
    throw;
  }
}

Buffer::~Buffer() {
  if (device_->may_release()) release();
}

void Buffer::create(Placement placement) {
  const DeviceCalls& calls = device_->calls();
  VkBufferCreateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  wanted.size = bytes_;
  wanted.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  wanted.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  device_->check(calls.create_buffer(device_->handle(), &wanted, nullptr, &handle_), "vkCreateBuffer", Status::AllocFailed);
  VkMemoryRequirements needed{};
  calls.get_buffer_requirements(device_->handle(), handle_, &needed);
  const std::optional<std::uint32_t> type = choose_memory_type(device_->physical(), needed.memoryTypeBits, placement);
  if (!type) throw Error(Status::AllocFailed, device_->id() + ": no type of memory for a storage buffer");
  VkMemoryAllocateInfo memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  memory.allocationSize = needed.size;
  memory.memoryTypeIndex = *type;
  const std::string call = "vkAllocateMemory(" + std::to_string(needed.size) + " bytes)";
  device_->check(calls.allocate_memory(device_->handle(), &memory, nullptr, &memory_), call.c_str(), Status::AllocFailed);
  device_->check(calls.bind_buffer_memory(device_->handle(), handle_, memory_, 0), "vkBindBufferMemory", Status::AllocFailed);
  if (placement == Placement::Device && !is_host_memory(device_->physical(), *type)) return;
  void* data = nullptr;
  device_->check(calls.map_memory(device_->handle(), memory_, 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory", Status::AllocFailed);
  mapped_ = static_cast<std::byte*>(data);
}

void Buffer::release() noexcept {
  device_->calls().destroy_buffer(device_->handle(), handle_, nullptr);
  device_->calls().free_memory(device_->handle(), memory_, nullptr);  // a mapping goes with it
}

}  // namespace ab::device::vulkan
