// SPDX-License-Identifier: MIT
#include "host_blas/accelerate.hpp"

#include <dlfcn.h>

namespace ab::host_blas {
namespace {

// As Apple's headers name them under ACCELERATE_NEW_LAPACK: dgemm$NEWLAPACK, cblas_dgemm$NEWLAPACK; with 64-bit integers $ILP64 follows.
Function* function(void* library, const std::string& name) {
  return reinterpret_cast<Function*>(dlsym(library, name.c_str()));
}

}  // namespace

std::optional<Library> accelerate() {
  void* const library = dlopen("/System/Library/Frameworks/Accelerate.framework/Accelerate", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  Library found;
  found.file = found.version = "Accelerate";
  for (const Routine& routine : routines) {
    const std::string name = std::string(routine.name) + "$NEWLAPACK";
    found.functions[index_of(routine)] = {function(library, name), function(library, "cblas_" + name), function(library, name + "$ILP64"),
                                          function(library, "cblas_" + name + "$ILP64")};
  }
  return found.functions[0].fortran == nullptr ? std::nullopt : std::optional(found);  // macOS before 13.3
}

}  // namespace ab::host_blas
