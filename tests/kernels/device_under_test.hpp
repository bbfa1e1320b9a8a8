// SPDX-License-Identifier: MIT
// Tests of single kernels are built into two programs: one runs them on the host's table, one on OpenCL.
#pragma once
#include <string>

#include "device/device.hpp"

namespace ab::test {

/// Why the program's device is not here; "" when it is.
std::string why_no_device_under_test();
/// The program's device, opened once.
device::Device& device_under_test();

}  // namespace ab::test
