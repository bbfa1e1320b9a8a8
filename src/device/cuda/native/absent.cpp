// SPDX-License-Identifier: MIT
// No native kernels: built without a CUDA compiler that compiles them. The common kernels serve.
#include "device/cuda/native/native_image.hpp"

namespace ab::device::cuda {

const unsigned char native_image[] = {0};
const std::size_t native_image_bytes = 0;

}  // namespace ab::device::cuda
