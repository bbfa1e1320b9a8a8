// SPDX-License-Identifier: MIT
// The native engine of this machine.
#pragma once
#include "core/settings.hpp"
#include "device/cpu/native/native.hpp"

namespace ab::device::native {

/// The first engine from `wanted` on (AMX, VNNI, ...) that processor and system offer; null: the common kernels serve.
const Engine* choose_engine(CpuKernels wanted, Permission permission);

}  // namespace ab::device::native
