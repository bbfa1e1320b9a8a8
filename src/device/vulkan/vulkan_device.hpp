// SPDX-License-Identifier: MIT
// Vulkan devices: the common kernels and native ones as SPIR-V, memory of their own or the host's, commands in batches.
#pragma once
#include <vector>

#include "core/settings.hpp"
#include "device/device.hpp"

namespace ab::device {

/// The devices of this machine in the loader's order, "vulkan:0" first; none without a loader. Opens none of them.
std::vector<Traits> describe_vulkan();

/// Opens a device and finds how its kernels must be spelled. Throws Error: NoDevice, AllocFailed, ShaderCompile.
std::unique_ptr<Device> open_vulkan(int ordinal);
/// The same with native kernels or without, whatever AB_VULKAN_KERNELS says.
std::unique_ptr<Device> open_vulkan_with(int ordinal, GpuKernels kernels);

}  // namespace ab::device
