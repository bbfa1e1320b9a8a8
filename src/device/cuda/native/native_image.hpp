// SPDX-License-Identifier: MIT
// The native kernels compiled for CUDA devices of compute capability 9.0 and embedded in the library.
#pragma once
#include <cstddef>

namespace ab::device::cuda {

extern const unsigned char native_image[];
extern const std::size_t native_image_bytes;  // 0: built without a compiler that knows such devices

}  // namespace ab::device::cuda
