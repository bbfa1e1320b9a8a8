// SPDX-License-Identifier: MIT
// The kernels as Metal texts, each complete in itself, embedded in the library: those of kernels/variants.txt and of native/variants.txt.
#pragma once
#include <cstddef>
#include <string>

namespace ab::device::metal {

struct KernelText {
  const char* name;        // of a variant
  const char* function;    // its kernel function in the text
  unsigned width, height;  // threads of a group
  std::size_t buffers;     // bindings before the params struct
  std::size_t params_bytes;
  const char* text;
};

extern const KernelText kernel_texts[];  // a null name ends it

/// Null when there is none of that name.
const KernelText* find_text(const std::string& name);

}  // namespace ab::device::metal
