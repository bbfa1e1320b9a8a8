// SPDX-License-Identifier: MIT
// Start-up checks of a device's arithmetic (docs/numerics.md 12.2, tests 1 to 9).
#pragma once
#include <string>

#include "device/device.hpp"

namespace ab::device {

/// Runs every stored case on the device; returns the first failure in one line, or "" when all passed. Throws what the device throws.
std::string self_test(Device& device);

/// The steps that some devices have to do in another way.
enum class SelfTestStep : std::uint64_t { FusedMultiplyAdd = 0, ByteProducts = 17 };  // the numbers of kernels/self_test.k
/// Whether the device does the step right in all stored cases. Throws what the device throws.
bool passes(Device& device, SelfTestStep step);

}  // namespace ab::device
