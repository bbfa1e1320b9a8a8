// SPDX-License-Identifier: MIT
// CUDA devices through the driver API: the common kernels from the embedded image, memory of their own, pinned staging.
#pragma once
#include <vector>

#include "core/settings.hpp"
#include "device/device.hpp"

namespace ab::device {

/// The devices of this machine in the driver's order, "cuda:0" first; none without a driver. Creates no context.
std::vector<Traits> describe_cuda();

/// Retains the device's primary context. Throws Error: NoDevice, AllocFailed.
std::unique_ptr<Device> open_cuda(int ordinal);
/// The same with a choice of kernels of its own, not that of AB_CUDA_KERNELS.
std::unique_ptr<Device> open_cuda_with(int ordinal, GpuKernels kernels);

}  // namespace ab::device
