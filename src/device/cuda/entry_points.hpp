// SPDX-License-Identifier: MIT
// Functions of a library that dlopen has opened.
#pragma once
#include <dlfcn.h>

namespace ab::device::cuda {

/// One entry point: false when the library does not have it.
template <class Function>
bool find(void* library, const char* name, Function*& entry) {
  entry = reinterpret_cast<Function*>(dlsym(library, name));
  return entry != nullptr;
}

}  // namespace ab::device::cuda
