// SPDX-License-Identifier: MIT
// The device that is always there: the common kernels as host C++, split at barriers, groups shared over threads.
#pragma once
#include <memory>

#include "device/device.hpp"

namespace ab::device {

/// What this machine's `cpu` device is like, without opening it.
Traits describe_cpu();
std::unique_ptr<Device> open_cpu();

}  // namespace ab::device
