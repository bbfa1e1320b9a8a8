// SPDX-License-Identifier: MIT
// The kernel dialect's structs and arithmetic text as host C++: what a device computes, the host computes with the same words.
#pragma once
#include "kernels/lang.h"

namespace ab::kernels {
#include "kernels/arithmetic.h"
static_assert(sizeof(vector_record) == 64 && sizeof(modulus) == 80 && sizeof(reconstruction) == 64);
static_assert(sizeof(vector_view) == 48 && sizeof(result_view) == 56 && sizeof(scalars) == 40);
}  // namespace ab::kernels
