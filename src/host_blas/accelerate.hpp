// SPDX-License-Identifier: MIT
// Apple's own BLAS, which every Mac has.
#pragma once
#include "host_blas/find.hpp"

namespace ab::host_blas {

/// Accelerate's 32-bit interface of macOS 13.3 and later, linked under names of its own: our dgemm_ does not stand before it.
Library accelerate();

}  // namespace ab::host_blas
