// SPDX-License-Identifier: MIT
// The floating-point environment of our own arithmetic: round to nearest, traps masked, nothing flushed; the caller's comes back
// with its flags as they were. Not meant around a host BLAS, which shall see what the caller has set.
#pragma once
#include <atomic>
#include <cstdint>
#if defined(__SSE2__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace ab {

class FloatEnvironment {
 public:
#if defined(__SSE2__)
  FloatEnvironment() noexcept : saved_(_mm_getcsr()) {
    _mm_setcsr(0x1f80);  // the value every process starts with
    hold_memory_accesses();
  }
  ~FloatEnvironment() {
    hold_memory_accesses();
    _mm_setcsr(saved_);
  }
#elif defined(__aarch64__)
  FloatEnvironment() noexcept : control_(read_control()), status_(read_status()) {
    write_control(0);
    hold_memory_accesses();
  }
  ~FloatEnvironment() {
    hold_memory_accesses();
    write_control(control_);
    write_status(status_);
  }
#else
  FloatEnvironment() noexcept {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
    hold_memory_accesses();
  }
  ~FloatEnvironment() {
    hold_memory_accesses();
    std::fesetenv(&saved_);
  }
#endif
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  // The compiler does not know that arithmetic depends on the control word: loads stay after the change, stores before the restoration.
  static void hold_memory_accesses() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

#if defined(__SSE2__)
  unsigned saved_;
#elif defined(__aarch64__)
  static std::uint64_t read_control() noexcept {
    std::uint64_t value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static std::uint64_t read_status() noexcept {
    std::uint64_t value;
    asm volatile("mrs %0, fpsr" : "=r"(value));
    return value;
  }
  static void write_control(std::uint64_t value) noexcept {
    asm volatile("msr fpcr, %0" : : "r"(value) : "memory");
  }
  static void write_status(std::uint64_t value) noexcept {
    asm volatile("msr fpsr, %0" : : "r"(value) : "memory");
  }
  std::uint64_t control_, status_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace ab
