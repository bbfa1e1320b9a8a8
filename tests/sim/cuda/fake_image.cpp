// SPDX-License-Identifier: MIT
// An image for the fake driver, so that its tests need no CUDA compiler.
#include "device/cuda/kernel_image.hpp"

namespace ab::device::cuda {

const unsigned char kernel_image[] = "fake";
const std::size_t kernel_image_bytes = sizeof kernel_image;

}  // namespace ab::device::cuda
