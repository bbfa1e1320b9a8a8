// SPDX-License-Identifier: MIT
#include "device/vulkan/logical_device.hpp"

#include "core/process.hpp"

namespace ab::device::vulkan {

LogicalDevice::LogicalDevice(const Instance& instance, int ordinal) : instance_(instance), physical_(describe(instance, ordinal)) {
  if (is_forked_child()) throw Error(Status::NoDevice, id() + " cannot be used in a forked child");
  if (!physical_.why_unusable.empty()) throw Error(Status::NoDevice, id() + " cannot be used: " + physical_.why_unusable);
  create();
}

void LogicalDevice::create() {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = physical_.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot{};
  dot.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
  dot.shaderIntegerDotProduct = VK_TRUE;
  VkPhysicalDeviceFeatures features{};
  features.shaderInt64 = VK_TRUE;
  VkDeviceCreateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  wanted.queueCreateInfoCount = 1;
  wanted.pQueueCreateInfos = &queue;
  wanted.pEnabledFeatures = &features;
  std::vector<const char*> extensions;
  if (physical_.packed_dot) {
    wanted.pNext = &dot;
    extensions.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
  }
  std::optional<MatrixFeatures> matrices;
  if (physical_.matrices) {
    matrices.emplace(*physical_.matrices->extension, const_cast<void*>(wanted.pNext)).request();
    wanted.pNext = &matrices->matrices;
    extensions.push_back(physical_.matrices->extension->name);
    extensions.insert(extensions.end(), std::begin(matrix_companions), std::end(matrix_companions));
  }
  wanted.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  wanted.ppEnabledExtensionNames = extensions.data();
  check(instance_.create_device(physical_.handle, &wanted, nullptr, &handle_), "vkCreateDevice", Status::NoDevice);
  try {
    calls_ = calls_of(instance_, handle_, id());
  } catch (...) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDevice>(instance_.get_device_proc_addr(handle_, "vkDestroyDevice"));
    if (destroy != nullptr) destroy(handle_, nullptr);
    throw;
  }
  calls_.get_device_queue(handle_, physical_.queue_family, 0, &queue_);
}

LogicalDevice::~LogicalDevice() {
  if (may_release()) calls_.destroy_device(handle_, nullptr);
}

void LogicalDevice::check(VkResult result, const char* call, Status failure) {
  if (result == VK_SUCCESS) return;
  const std::string text = id() + ": " + call + " failed: " + text_of(result);
  if (result == VK_ERROR_DEVICE_LOST) {
    const std::scoped_lock lock(mutex_);
    if (!lost_.exchange(true)) why_lost_ = text;
    throw Error(Status::NoDevice, text);
  }
  const bool no_memory =
      result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_TOO_MANY_OBJECTS;
  throw Error(no_memory ? Status::AllocFailed : failure, text);
}

void LogicalDevice::require_usable() {
  if (is_forked_child()) throw Error(Status::NoDevice, id() + " cannot be used in a forked child");
  if (!lost_.load(std::memory_order_relaxed)) return;
  const std::scoped_lock lock(mutex_);
  throw Error(Status::NoDevice, id() + " was lost: " + why_lost_);
}

bool LogicalDevice::may_release() const {
  return !is_forked_child();
}

void LogicalDevice::submit(VkCommandBuffer commands, VkFence fence) {
  VkSubmitInfo work{};
  work.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  work.commandBufferCount = 1;
  work.pCommandBuffers = &commands;
  const std::scoped_lock lock(queue_mutex_);
  check(calls_.queue_submit(queue_, 1, &work, fence), "vkQueueSubmit");
}

}  // namespace ab::device::vulkan
