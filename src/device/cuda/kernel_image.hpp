// SPDX-License-Identifier: MIT
// The common kernels compiled for CUDA and embedded in the library: one image with PTX for every device and machine code for some.
#pragma once
#include <cstddef>

namespace ab::device::cuda {

struct KernelShape {
  const char* name;        // of kernels/variants.txt, and of the function in the image
  unsigned width, height;  // threads of a group
  std::size_t buffers;     // arguments before the params struct
  std::size_t params_bytes;
};

extern const KernelShape kernel_shapes[];  // a null name ends it

extern const unsigned char kernel_image[];
extern const std::size_t kernel_image_bytes;  // 0: built without CUDA's compiler

}  // namespace ab::device::cuda
