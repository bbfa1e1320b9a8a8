// SPDX-License-Identifier: MIT
// What of the processor this process may use.
#pragma once

namespace ab::device::native {

/// AVX2 with FMA, BMI, BMI2, LZCNT and F16C: what the common kernels' AVX2 form is built for too.
bool has_avx2();

/// AVX-512 F, BW, DQ, VL, CD and VNNI, enabled by the system.
bool has_avx512_vnni();

/// AMX tiles with int8 products: present, and enabled by the system (XCR0).
bool has_amx();

/// has_amx, and granted to this process, which is asked for once. Tiles add 8 KiB to signal frames: the system refuses a process that
/// has a smaller alternate signal stack, and wants larger ones from then on.
bool may_use_amx();

/// Arm's 8-bit dot products (sdot), and on top of them its 8-bit matrix products (smmla).
bool has_dot_product();
bool has_matrix_multiply();

}  // namespace ab::device::native
