// SPDX-License-Identifier: MIT
// Tables of kernels that tests/kernels/broken/make_broken.py builds, and compiler options that break bits.
#pragma once
#include "device/cpu/kernel_table.hpp"

namespace ab::kernels {

extern const HostKernel host_kernels_contracted[];
extern const HostKernel host_kernels_fast_math[];
extern const HostKernel host_kernels_unfused[];
extern const HostKernel host_kernels_wrong_modulus[];
extern const HostKernel host_kernels_dropped_modulus[];
extern const HostKernel host_kernels_no_barriers_scan[];
extern const HostKernel host_kernels_no_barriers_i8[];
extern const HostKernel host_kernels_no_barriers_f32[];
extern const HostKernel host_kernels_no_barriers_dd[];
extern const HostKernel host_kernels_residue_512[];
extern const HostKernel host_kernels_truncation[];
extern const HostKernel host_kernels_soft_fma[];  // right: the integer fma
extern const HostKernel host_kernels_measured[];  // kernels write the scratch they take to buffers[15] and end

}  // namespace ab::kernels

namespace ab::test {

inline constexpr const char* opencl_fast_math = "-cl-fast-relaxed-math";

}  // namespace ab::test
