// SPDX-License-Identifier: MIT
// Metal devices: kernels compiled from text when they are first launched, memory shared with the host, commands in batches.
#pragma once
#include <vector>

#include "core/settings.hpp"
#include "device/device.hpp"

namespace ab::device {

/// The devices of this machine in Metal's order: "metal" the first, then "metal:1"; none but on macOS. Opens none of them.
std::vector<Traits> describe_metal();

/// Throws Error: NoDevice, AllocFailed.
std::unique_ptr<Device> open_metal(int ordinal);
/// The same with native kernels or without, whatever AB_GPU_KERNELS says.
std::unique_ptr<Device> open_metal_with(int ordinal, GpuKernels kernels);

}  // namespace ab::device
