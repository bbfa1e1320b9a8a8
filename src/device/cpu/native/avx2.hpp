// SPDX-License-Identifier: MIT
// The kernels of the AVX2 engine that stand in files of their own.
#pragma once
#include "device/cpu/native/native.hpp"

namespace ab::device::native {

void residues_avx2(const Launch& launch);
void reconstruct_avx2(const Launch& launch);

}  // namespace ab::device::native
