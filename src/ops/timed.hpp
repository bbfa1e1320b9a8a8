// SPDX-License-Identifier: MIT
// The steps of a product as stages of the call that reports and traces tell of.
#pragma once
#include <type_traits>

#include "core/clock.hpp"
#include "core/thread_state.hpp"
#include "ops/open_device.hpp"

namespace ab::ops {

/// Does a step. In a recorded call its time is told, up to where the device has finished it. A fetch has waited for the device by
/// itself, and nothing may fail once it has written C.
template <class Step>
auto timed(Context& context, Stage stage, const Step& step) {
  CallWatch* const watch = thread_state().watch;
  const std::uint64_t start_ns = watch != nullptr ? monotonic_ns() : 0;
  const auto tell = [&] {
    if (watch == nullptr) return;
    if (stage != Stage::Fetch) context.queue().finish();
    watch->ended(stage, start_ns, monotonic_ns());
  };
  if constexpr (std::is_void_v<decltype(step())>) {
    step();
    tell();
  } else {
    auto made = step();
    tell();
    return made;
  }
}

/// Computes without being heard: what belongs to no call of the program.
class Unwatched {
 public:
  Unwatched() : watch_(thread_state().watch) { thread_state().watch = nullptr; }
  ~Unwatched() { thread_state().watch = watch_; }
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;

 private:
  CallWatch* watch_;
};

}  // namespace ab::ops
