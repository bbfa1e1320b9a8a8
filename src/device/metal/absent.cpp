// SPDX-License-Identifier: MIT
// Built for another system than macOS, or with AB_METAL switched off: there are no devices.
#include "core/error.hpp"
#include "device/metal/metal_device.hpp"

namespace ab::device {

std::vector<Traits> describe_metal() {
  return {};
}

std::unique_ptr<Device> open_metal(int ordinal) {
  return open_metal_with(ordinal, GpuKernels::Common);
}

std::unique_ptr<Device> open_metal_with(int, GpuKernels) {
  throw Error(Status::NoDevice, "metal: this build has no kernels for Metal");
}

}  // namespace ab::device
