// SPDX-License-Identifier: MIT
#include "core/thread_state.hpp"

#include <cstdio>

#include "core/settings.hpp"

namespace ab {

ThreadState& thread_state() {
  static thread_local ThreadState state;
  return state;
}

void remember_error(const char* text) {
  ThreadState& state = thread_state();
  std::snprintf(state.last_error, sizeof state.last_error, "%s", text);
}

Precision thread_precision() {
  const ThreadState& state = thread_state();
  return state.precision ? *state.precision : settings().precision;
}

}  // namespace ab
