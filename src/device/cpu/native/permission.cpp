// SPDX-License-Identifier: MIT
#include "device/cpu/native/permission.hpp"

#include <atomic>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif
#if defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#include <sys/types.h>

#include <cstddef>
#endif

namespace ab::device::native {

#if defined(__x86_64__)
namespace {

// Register ecx of a leaf of CPUID; 0 where the processor lacks the leaf.
unsigned int features_of(unsigned int leaf) {
  unsigned int a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(leaf, &a, &b, &c, &d) != 0 ? c : 0;
}

// These two are no names that every compiler's __builtin_cpu_supports knows.
bool has_f16c() {
  return (features_of(1) & 1u << 29) != 0;
}
bool has_lzcnt() {
  return (features_of(0x80000001) & 1u << 5) != 0;
}

unsigned long long enabled_states() {
  constexpr unsigned int osxsave = 1u << 27;
  if ((features_of(1) & osxsave) == 0) return 0;
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
         __builtin_cpu_supports("bmi2") && has_lzcnt() && has_f16c();
}

bool has_avx512_vnni() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vnni") &&
         __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") && has_lzcnt();
}

bool has_amx() {
  return has_amx_int8();
}

// Threads that come first at the same time may all ask; no lock that a fork could leave held.
bool may_use_amx() {
  enum : int { Unknown, Granted, Refused };
  static constinit std::atomic<int> answer{Unknown};
  int known = answer.load(std::memory_order_relaxed);
  if (known == Unknown) {
    known = has_amx() && ask_for_tiles() ? Granted : Refused;
    answer.store(known, std::memory_order_relaxed);
  }
  return known == Granted;
}
#else
bool has_avx2() {
  return false;
}
bool has_avx512_vnni() {
  return false;
}
bool has_amx() {
  return false;
}
bool may_use_amx() {
  return false;
}
#endif

#if defined(__aarch64__) && defined(__linux__)
bool has_dot_product() {
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
}
bool has_matrix_multiply() {
  constexpr unsigned long i8mm = 1ul << 13;  // HWCAP2_I8MM, which older headers do not name
  return has_dot_product() && (getauxval(AT_HWCAP2) & i8mm) != 0;
}
#elif defined(__aarch64__) && defined(__APPLE__)
namespace {

bool has_feature(const char* name) {
  int value = 0;
  std::size_t bytes = sizeof value;
  return sysctlbyname(name, &value, &bytes, nullptr, 0) == 0 && value == 1;
}

}  // namespace

bool has_dot_product() {
  return has_feature("hw.optional.arm.FEAT_DotProd");
}
bool has_matrix_multiply() {
  return has_dot_product() && has_feature("hw.optional.arm.FEAT_I8MM");
}
#else
bool has_dot_product() {
  return false;
}
bool has_matrix_multiply() {
  return false;
}
#endif

}  // namespace ab::device::native
