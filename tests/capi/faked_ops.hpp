// SPDX-License-Identifier: MIT
// Stand-ins for the layers below capi, linked instead of them: two devices in host memory whose failures the test asks for. They
// show what the front door does with failures, several devices and lost ones; what is computed is tested on the real library.
#pragma once
#include <optional>

#include "core/error.hpp"
#include "core/types.hpp"

namespace ab::test {

struct Faults {
  std::optional<Status> initialize = {}, allocate = {}, multiply = {}, combine = {}, write = {}, singular = {};  // thrown
  std::optional<Reason> decline = {};         // returned by ops::multiply
  std::optional<Status> fail_next = {};       // thrown by one product
  std::optional<Status> multiply_later = {};  // thrown after so many products:
  int fail_after = 0;
  bool host_memory_gone = false;  // ops::multiply throws std::bad_alloc
  int lost_device = -1;           // its contexts are not alive
  bool forked_child = false;
};

/// Products wait while this lives: what is submitted stays unfinished.
class HeldProducts {
 public:
  HeldProducts();
  ~HeldProducts();
  HeldProducts(const HeldProducts&) = delete;
  HeldProducts& operator=(const HeldProducts&) = delete;
};

/// While this lives a write to device memory waits until so many of them run at once, and fails when they do not.
class GatheredWrites {
 public:
  explicit GatheredWrites(int count);
  ~GatheredWrites();
  GatheredWrites(const GatheredWrites&) = delete;
  GatheredWrites& operator=(const GatheredWrites&) = delete;
};

/// The faults in force. Reset by the test.
Faults& faults();
/// Device memories that exist now.
int living_memories();
/// Queues of streams that exist now.
int living_stream_queues();
/// Products, elementwise operations and transfers that really ran.
int operations_run();

inline constexpr std::size_t largest_buffer_bytes = std::size_t{1} << 20;  // of both devices

}  // namespace ab::test
