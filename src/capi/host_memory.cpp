// SPDX-License-Identifier: MIT
// Registration of host memory that BLAS operands may be read from in place.
#include "ops/host_memory.hpp"
#include "apple_bottom_blas.h"
#include "capi/guarded.hpp"

extern "C" {

ABStatus ab_register_host_memory(void* base, size_t nbytes) {
  return ab::capi::guarded("ab_register_host_memory", [&] { ab::ops::register_host_memory(base, nbytes); });
}

ABStatus ab_unregister_host_memory(void* base) {
  return ab::capi::guarded("ab_unregister_host_memory", [&] { ab::ops::unregister_host_memory(base); });
}

}  // extern "C"
