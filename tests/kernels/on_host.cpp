// SPDX-License-Identifier: MIT
#include "kernels/device_under_test.hpp"
#include "kernels/host_device.hpp"

namespace ab::test {

std::string why_no_device_under_test() {
  return "";
}

device::Device& device_under_test() {
  static HostDevice host({kernels::host_kernels_base});
  return host;
}

}  // namespace ab::test
