// SPDX-License-Identifier: MIT
#include "sim/metal/simulator.hpp"

#include <cstdlib>

#include "sim/metal/state.hpp"

namespace ab::test::metal {

State& state() {
  static State* const all = [] {  // never destroyed: objects may outlive the program's statics
    auto* const made = new State;
    if (const char* seed = std::getenv("AB_SIM_METAL_SEED")) made->seed = static_cast<unsigned>(std::atoi(seed));
    made->process = getpid();
    return made;
  }();
  return *all;
}

Call::Call() : lock(state().mutex) {
  if (getpid() != state().process) violation("a call in a forked child");
}

void violation(const std::string& what) {
  State& now = state();
  if (now.violations++ == 0) now.first_violation = what;
}

bool fails() {
  State& now = state();
  ++now.calls;
  if (now.failing_call == 0) return false;
  return now.failures == Failures::One ? now.calls == now.failing_call : now.calls >= now.failing_call;
}

void fail_at(long nth, ErrorCode code, Failures failures) {
  const Call call;
  State& now = state();
  now.calls = 0, now.failing_call = nth, now.code = code, now.failures = failures;
}
long calls() {
  return state().calls;
}
void fail_command_buffer(long nth, ErrorCode code) {
  const Call call;
  State& now = state();
  now.command_buffers = 0, now.failing_command_buffer = nth, now.command_buffer_code = code;
}
long command_buffers() {
  return state().command_buffers;
}
long alive() {
  return state().alive;
}
long violations() {
  return state().violations;
}
std::string first_violation() {
  return state().first_violation;
}
void forget_violations() {
  state().violations = 0;
  state().first_violation.clear();
}
void set_seed(unsigned seed) {
  state().seed = seed;
}
void set_limits(const Limits& limits) {
  state().limits = limits;
}
void edit_texts(std::function<std::string(const std::string&)> edit) {
  state().edit = std::move(edit);
}
void ignore_compile_options(bool ignored) {
  state().options_ignored = ignored;
}

}  // namespace ab::test::metal
