// SPDX-License-Identifier: MIT
// What tests can ask of the fake driver, and make it do. Found in the library that the backend has opened, never linked.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

namespace ab::test {

/// Things that the caller has taken and not given back.
struct FakeAlive {
  long contexts, modules, streams, events, device_buffers, pinned_buffers;
  std::size_t device_bytes;
  long total() const { return contexts + modules + streams + events + device_buffers + pinned_buffers; }
};

enum class FakeFailures : int { One, AllFromThere };

/// Work of another library on a stream, with the host's places of the device memory it names.
struct FakeMemory {
  unsigned long long address;
  std::size_t bytes;
};
struct FakeLaunch {
  void* stream;  // null: nothing but a look at the context
  std::vector<FakeMemory> memory;
  std::function<void(const std::vector<std::byte*>&)> body;
};

struct FakeControl {
  /// The n-th driver call from now on, from 1, returns `result` (0: none does). Calls that say what a result means are not counted.
  void (*fail_at)(long nth, int result, FakeFailures failures);
  long (*calls)();
  /// The n-th launch from now on, from 1, faults when it runs: the context is lost.
  void (*fault_at_launch)(long nth);
  long (*launches)();  // since then
  /// Device memory of each device, bytes.
  void (*limit_memory)(std::size_t bytes);
  FakeAlive (*alive)();
  /// What a driver would not have forgiven: wrong addresses, handles, contexts, pageable memory in asynchronous copies.
  long (*violations)();
  const char* (*first_violation)();
  /// From now on whoever synchronises a stream with work is answered only when so many do at once; that they do not is a violation (0: none
  /// waits).
  void (*gather_streams)(int count);
  /// All devices are as new: what is lost comes back.
  void (*repair)();
  /// For the vendor's other libraries: one driver call in the current context. Returns its result.
  int (*run_for_library)(const FakeLaunch& launch);
};

/// The name of the function that returns the table.
inline constexpr const char* fake_control_name = "ab_fake_cuda_control";
using FakeControlFunction = const FakeControl*();

}  // namespace ab::test
