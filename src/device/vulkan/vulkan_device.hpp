// SPDX-License-Identifier: MIT
// Vulkan devices: the common kernels as SPIR-V, memory of their own or the host's, commands in batches.
#pragma once
#include <vector>

#include "device/device.hpp"

namespace ab::device {

/// The devices of this machine in the loader's order, "vulkan:0" first; none without a loader. Opens none of them.
std::vector<Traits> describe_vulkan();

/// Opens a device and finds how its kernels must be spelled. Throws Error: NoDevice, AllocFailed, ShaderCompile.
std::unique_ptr<Device> open_vulkan(int ordinal);

}  // namespace ab::device
