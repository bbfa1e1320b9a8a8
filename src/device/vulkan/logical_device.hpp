// SPDX-License-Identifier: MIT
// An open Vulkan device with its one queue, shared by the memory, kernels and streams on it: the last of them closes it.
#pragma once
#include <atomic>
#include <mutex>

#include "core/error.hpp"
#include "device/vulkan/physical_device.hpp"

namespace ab::device::vulkan {

class LogicalDevice {
 public:
  /// Throws Error(NoDevice) when the device cannot be used.
  LogicalDevice(const Instance& instance, int ordinal);
  LogicalDevice(const LogicalDevice&) = delete;
  LogicalDevice& operator=(const LogicalDevice&) = delete;
  ~LogicalDevice();

  const DeviceCalls& calls() const { return calls_; }
  VkDevice handle() const { return handle_; }
  const PhysicalDevice& physical() const { return physical_; }
  const std::string& id() const { return physical_.traits.id; }

  /// Turns a failed call into an Error that names it: AllocFailed when memory is out, NoDevice when the device is lost (it stays lost),
  /// else the given status.
  void check(VkResult result, const char* call, Status failure = Status::KernelFailed);
  /// Throws Error(NoDevice) for a lost device and in a forked child.
  void require_usable();
  /// False where nothing may be given back: in a forked child, whose copy of the driver is dead.
  bool may_release() const;

  /// Hands commands to the queue, which several threads use. The fence is signalled when they are done.
  void submit(VkCommandBuffer commands, VkFence fence);

 private:
  void create();

  const Instance& instance_;
  const PhysicalDevice physical_;
  VkDevice handle_ = nullptr;
  DeviceCalls calls_;
  std::mutex queue_mutex_;
  VkQueue queue_ = nullptr;  // guarded by queue_mutex_
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::string why_lost_;  // guarded by mutex_
};

}  // namespace ab::device::vulkan
