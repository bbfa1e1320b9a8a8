// SPDX-License-Identifier: MIT
// The search for the host BLAS: which file, which functions, and why one that was asked for cannot serve.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/routines.hpp"

namespace ab::host_blas {

using Function = void();  // called after a cast to what its name promises

/// One routine under its four names; null: the library has it not.
struct Functions {
  Function* fortran = nullptr;     // dgemm_
  Function* cblas = nullptr;       // cblas_dgemm
  Function* fortran_64 = nullptr;  // dgemm_64_
  Function* cblas_64 = nullptr;    // cblas_dgemm64_ or cblas_dgemm_64
};

struct Library {
  std::string file;     // without its folder: "libopenblas.so.0"
  std::string version;  // "OpenBLAS 0.3.21"; "" when it does not tell
  std::array<Functions, routine_count> functions{};

  const Functions& of(const Routine& routine) const { return functions[index_of(routine)]; }
};

/// The library of spec 4.9: the file `asked` ("" for none), else RTLD_NEXT, else a loaded libblas.so.3, else libopenblas.so.0 or
/// libblas.so.3; in place of our filter library the BLAS behind it; on macOS the file `asked`, else Accelerate. A file that was asked for
/// and cannot serve goes to `complaints`, and the search goes on.
std::optional<Library> find(const std::string& asked, std::vector<std::string>& complaints);

/// The BLAS behind a handle of dlopen, or nothing and why it cannot serve: functions missing, or 64-bit integers.
std::optional<Library> library_behind(void* handle, std::string& refusal);

}  // namespace ab::host_blas
