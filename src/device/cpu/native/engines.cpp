// SPDX-License-Identifier: MIT
#include "device/cpu/native/engines.hpp"

namespace ab::device::native {

const Engine* choose_engine([[maybe_unused]] CpuKernels wanted, [[maybe_unused]] Permission permission) {
#if defined(__x86_64__)
  if (wanted <= CpuKernels::Amx) {
    if (const Engine* engine = amx_engine(permission)) return engine;
  }
  if (wanted <= CpuKernels::Vnni) {
    if (const Engine* engine = vnni_engine()) return engine;
  }
  if (wanted <= CpuKernels::Avx2) {
    if (const Engine* engine = avx2_engine()) return engine;
  }
#elif defined(__aarch64__)
  if (wanted <= CpuKernels::Neon) return neon_engine();
#endif
  return nullptr;
}

}  // namespace ab::device::native
