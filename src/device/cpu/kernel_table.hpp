// SPDX-License-Identifier: MIT
// The common kernels as host functions, one table per instruction set; a null name ends a table.
#pragma once
#include "kernels/lang.h"

namespace ab::kernels {

struct HostKernel {
  const char* name;
  void (*run_group)(const Group& group);
};

extern const HostKernel host_kernels_base[];
extern const HostKernel host_kernels_avx2[];
extern const HostKernel host_kernels_avx512[];

}  // namespace ab::kernels
