// SPDX-License-Identifier: MIT
#include "device/metal/metal_device.hpp"
#include "kernels/device_under_test.hpp"

namespace ab::test {

std::string why_no_device_under_test() {
  return device::describe_metal().empty() ? "no Metal device" : "";
}

device::Device& device_under_test() {
  static const std::unique_ptr<device::Device> metal = device::open_metal(0);
  return *metal;
}

}  // namespace ab::test
