// SPDX-License-Identifier: MIT
#include "kernels/device_under_test.hpp"
#include "kernels/opencl_device.hpp"

namespace ab::test {

std::string why_no_device_under_test() {
  return why_no_opencl();
}

device::Device& device_under_test() {
  static const std::unique_ptr<device::Device> opencl = open_opencl();
  return *opencl;
}

}  // namespace ab::test
