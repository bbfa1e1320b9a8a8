// SPDX-License-Identifier: MIT
// The native kernels compiled for CUDA devices of compute capability 8.0 and later and embedded in the library.
#pragma once
#include <cstddef>

namespace ab::device::cuda {

extern const unsigned char native_image[];
extern const std::size_t native_image_bytes;  // 0: built without a compiler that makes it

}  // namespace ab::device::cuda
