// SPDX-License-Identifier: MIT
// What tests can ask of the Metal simulator in their program, and make it do.
#pragma once
#include <cstddef>
#include <functional>
#include <string>

namespace ab::test::metal {

enum class Failures { One, AllFromThere };

// Numbers of MTLCommandBufferError.
enum ErrorCode : long { Internal = 1, Timeout = 2, PageFault = 3, AccessRevoked = 4, OutOfMemory = 8, DeviceRemoved = 11 };

/// The n-th call from now on that can fail, from 1, does: objects are nil, a command buffer ends with the code. 0: none does.
void fail_at(long nth, ErrorCode code, Failures failures = Failures::One);
long calls();  // that could have failed, since then
/// The n-th command buffer that is executed from now on, from 1, ends with the code. 0: none does.
void fail_command_buffer(long nth, ErrorCode code);
long command_buffers();  // executed since then

/// Objects that are alive, devices apart.
long alive();
/// What Metal's validation layer would have said.
long violations();
std::string first_violation();
void forget_violations();

/// Orders of threads and threadgroups, of lanes that hold a matrix, and of sums in matrix products. AB_SIM_METAL_SEED is the first one.
void set_seed(unsigned seed);

struct Limits {
  std::size_t buffer_bytes = std::size_t{1} << 30;  // maxBufferLength
  std::size_t memory_bytes = std::size_t{4} << 30;  // of all buffers together
  bool unified = true;
  bool has_math_mode = true;  // macOS 15 and later
  int apple_family = 8;
};
/// Of devices that are listed or opened from now on.
void set_limits(const Limits& limits);

/// Changes texts before they are compiled, from now on; null: no more. Gets the whole text.
void edit_texts(std::function<std::string(const std::string&)> edit);
/// Compiles with the default options of Metal whatever the caller says: fast math.
void ignore_compile_options(bool ignored);

}  // namespace ab::test::metal
