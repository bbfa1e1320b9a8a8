// SPDX-License-Identifier: MIT
// Nothing unwinds into C: every exported function that can fail runs its body through guarded().
#pragma once
#include <string>

#include "apple_bottom.h"
#include "capi/live_matrices.hpp"
#include "core/error.hpp"
#include "core/float_environment.hpp"

namespace ab::capi {

/// Inside a catch block: the status of what was caught, with "function: text" kept for ab_last_error. KernelFailed for what the
/// library does not know.
ABStatus status_of_caught(const char* function);

/// What futures and batches have not finished yet.
void wait_for_submitted_work();

/// Runs the body; AB_OK, or the status of what it threw.
template <class Body>
ABStatus guarded(const char* function, const Body& body) {
  try {
    body();
    return AB_OK;
  } catch (const std::exception&) {
    return status_of_caught(function);
  }
}

/// The same for what concerns matrices but none of their contents: ab_shutdown waits for it.
template <class Body>
ABStatus guarded_life(const char* function, const Body& body) {
  return guarded(function, [&] {
    const auto running = live_matrices().begin_operation();
    body();
  });
}

/// The same for work on matrices: after all that was submitted earlier, in the library's floating-point environment.
template <class Body>
ABStatus guarded_operation(const char* function, const Body& body) {
  wait_for_submitted_work();
  return guarded_life(function, [&] {
    const FloatEnvironment environment;
    body();
  });
}

[[noreturn]] void fail(Status status, const std::string& text);

/// InvalidArgument when the caller's struct is older than the first one of this major version.
void require_struct_size(std::size_t given, std::size_t smallest);

}  // namespace ab::capi
