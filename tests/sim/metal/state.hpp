// SPDX-License-Identifier: MIT
// What the simulator knows, and the order of its calls: one at a time, none in a forked child.
#pragma once
#include <unistd.h>

#include <mutex>

#include "sim/metal/simulator.hpp"

namespace ab::test::metal {

struct State {
  std::recursive_mutex mutex;
  long calls = 0, failing_call = 0;
  long command_buffers = 0, failing_command_buffer = 0;
  ErrorCode code = Internal, command_buffer_code = Internal;
  Failures failures = Failures::One;
  long alive = 0, violations = 0;
  std::string first_violation;
  unsigned seed = 1;
  Limits limits;
  std::size_t used_bytes = 0;
  std::function<std::string(const std::string&)> edit;
  bool options_ignored = false;
  pid_t process = 0;
};
State& state();

/// For the time of one call.
struct Call {
  Call();
  const std::scoped_lock<std::recursive_mutex> lock;
};

void violation(const std::string& what);
/// Counts a call that can fail; true when it is to.
bool fails();

}  // namespace ab::test::metal
