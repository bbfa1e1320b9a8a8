// SPDX-License-Identifier: MIT
// The kernels as SPIR-V, embedded in the library: the common ones, and native ones where the compiler knew their words.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace ab::device::vulkan {

struct Spirv {
  const std::uint32_t* words;
  std::size_t bytes;
};

/// How a text is spelled for a device: the sum of these.
enum Spelling : unsigned { Plain = 0, SoftFma = 1, PackedDot = 2 };
inline constexpr std::size_t spellings = 4;

struct KernelText {
  const char* name;        // of kernels/variants.txt, or with the suffix of a MatrixExtension
  unsigned width, height;  // threads of a group
  std::size_t buffers;     // bindings before the params struct
  std::size_t params_bytes;
  std::array<Spirv, spellings> spirv;  // by Spelling
};

extern const KernelText kernel_texts[];  // a null name ends it

}  // namespace ab::device::vulkan
