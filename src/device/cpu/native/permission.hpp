// SPDX-License-Identifier: MIT
// What of the processor this process may use.
#pragma once

namespace ab::device::native {

/// AVX-512 F, BW, DQ, VL, CD and VNNI, enabled by the system.
bool has_avx512_vnni();

/// AMX tiles with int8 products: present, enabled by the system (XCR0), and granted to this process, which is asked for once.
/// Tiles add 8 KiB to signal frames: the system refuses a process that has a smaller alternate signal stack.
bool may_use_amx();

}  // namespace ab::device::native
