// SPDX-License-Identifier: MIT
// An image for the fake driver, so that its tests need no CUDA compiler; and one of native kernels.
#include "device/cuda/kernel_image.hpp"
#include "device/cuda/native/native_image.hpp"

namespace ab::device::cuda {

const unsigned char kernel_image[] = "fake";
const std::size_t kernel_image_bytes = sizeof kernel_image;

const unsigned char native_image[] = "native";
const std::size_t native_image_bytes = sizeof native_image;

}  // namespace ab::device::cuda
