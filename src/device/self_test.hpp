// SPDX-License-Identifier: MIT
// Start-up checks of a device's arithmetic (docs/numerics.md 12.2, tests 1 to 9).
#pragma once
#include <string>

#include "device/device.hpp"

namespace ab::device {

/// Runs every stored case on the device; returns the first failure in one line, or "" when all passed. Throws what the device throws.
std::string self_test(Device& device);

}  // namespace ab::device
