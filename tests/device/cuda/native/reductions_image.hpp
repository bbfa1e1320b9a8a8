// SPDX-License-Identifier: MIT
// What nvcc makes of reductions.cu.
#pragma once
#include <cstddef>

namespace ab::device::cuda {

extern const unsigned char reductions_image[];
extern const std::size_t reductions_image_bytes;

}  // namespace ab::device::cuda
