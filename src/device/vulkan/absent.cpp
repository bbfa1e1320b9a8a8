// SPDX-License-Identifier: MIT
// Built without Vulkan's headers or a compiler for its kernels: there are no devices, and no loader is looked for.
#include "core/error.hpp"
#include "device/vulkan/vulkan_device.hpp"

namespace ab::device {

std::vector<Traits> describe_vulkan() {
  return {};
}

std::unique_ptr<Device> open_vulkan(int ordinal) {
  return open_vulkan_with(ordinal, GpuKernels::Common);
}

std::unique_ptr<Device> open_vulkan_with(int ordinal, GpuKernels) {
  throw Error(Status::NoDevice, "vulkan:" + std::to_string(ordinal) + ": this build has no kernels for Vulkan");
}

}  // namespace ab::device
