// SPDX-License-Identifier: MIT
// Apple's own BLAS, which every Mac has.
#pragma once
#include "host_blas/find.hpp"

namespace ab::host_blas {

/// Accelerate by the names of its interface of macOS 13.3 and later, which ours do not stand before; nothing on an older macOS.
std::optional<Library> accelerate();

}  // namespace ab::host_blas
