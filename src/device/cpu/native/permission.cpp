// SPDX-License-Identifier: MIT
#include "device/cpu/native/permission.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ab::device::native {

#if defined(__x86_64__)
namespace {

unsigned long long enabled_states() {
  unsigned int a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned int osxsave = 1u << 27;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & osxsave) == 0) return 0;
  unsigned int low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<unsigned long long>(high) << 32 | low;
}

bool has_amx_int8() {
  constexpr unsigned int tile = 1u << 24, int8 = 1u << 25;
  constexpr unsigned long long tile_states = 3ull << 17;  // configuration and data
  unsigned int a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  return (d & tile) != 0 && (d & int8) != 0 && (enabled_states() & tile_states) == tile_states;
}

bool ask_for_tiles() {
#if defined(__linux__)
  constexpr long request_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}

}  // namespace

bool has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("f16c");
}

bool has_avx512_vnni() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vnni") &&
         __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt");
}

bool may_use_amx() {
  static const bool granted = has_amx_int8() && ask_for_tiles();
  return granted;
}
#else
bool has_avx2() {
  return false;
}
bool has_avx512_vnni() {
  return false;
}
bool may_use_amx() {
  return false;
}
#endif

}  // namespace ab::device::native
