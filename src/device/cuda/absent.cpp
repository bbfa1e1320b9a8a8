// SPDX-License-Identifier: MIT
// No kernels: built without CUDA's compiler. There are then no CUDA devices, and no driver is looked for.
#include "device/cuda/kernel_image.hpp"

namespace ab::device::cuda {

const unsigned char kernel_image[] = {0};
const std::size_t kernel_image_bytes = 0;

}  // namespace ab::device::cuda
