// SPDX-License-Identifier: MIT
// The device that is always there: the common kernels as host C++, split at barriers, groups shared over threads.
#pragma once
#include <memory>

#include "core/settings.hpp"
#include "device/device.hpp"

namespace ab::device {

/// What this machine's `cpu` device is like, without opening it.
Traits describe_cpu();
/// With the native kernels that AB_CPU_KERNELS names, or from there on the first that machine and system have.
std::unique_ptr<Device> open_cpu();
std::unique_ptr<Device> open_cpu_with(CpuKernels kernels);

}  // namespace ab::device
