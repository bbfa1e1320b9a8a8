// SPDX-License-Identifier: MIT
// A device that behaves like another one until it is told to fail: the n-th call throws, a kernel is missing or computes wrongly.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "device/device.hpp"

namespace ab::test {

enum class Failures { One, AllFromThere };

/// After each launch of a kernel: one byte of one of its arguments is changed.
struct WrongResult {
  std::string kernel;
  std::size_t argument;  // index of the slice
  std::size_t byte;      // behind the slice's offset
  std::byte flipped;     // bits
};

class FaultyDevice final : public device::Device {
 public:
  explicit FaultyDevice(device::Device& inner) : inner_(inner), traits_(inner.traits()) {}

  const device::Traits& traits() const override { return traits_; }
  std::unique_ptr<device::Memory> allocate(std::size_t bytes) override;
  std::unique_ptr<device::Memory> adopt(std::span<std::byte> host) override;
  std::unique_ptr<device::Kernel> load(const device::KernelName& name) override;
  std::unique_ptr<device::Queue> open_queue() override;

  /// Counts calls of allocate, launch, read, write and copy from now on; the n-th fails (from 1; 0: none does).
  void fail_at(Index nth, Failures failures = Failures::One);
  Index calls() const { return calls_; }
  Index failing_call() const { return failing_call_; }
  Failures failures() const { return failures_; }
  Index launches_of(const std::string& kernel) const;
  const std::vector<std::string>& loaded() const { return loaded_; }
  /// Memory of the host must be copied from now on, as for a device with its own memory.
  void has_own_memory() { traits_.unified_memory = false; }
  /// No single allocation may be larger, as the device says of itself.
  void has_largest_buffer(std::uint64_t bytes) { traits_.max_buffer_bytes = bytes; }
  /// An allocation that would bring what is alive above this fails from now on.
  void limit_memory(std::uint64_t bytes) { most_bytes_ = bytes; }
  /// Its queues can be read from up to a mark while they go on (a mark is where it is asked for: all is done at once here).
  void has_marks() { marks_ = true; }
  /// Residue planes have room for vectors in multiples of `unit` and so many bytes between them, as an engine may want it.
  void spreads_planes(Index unit, Index bytes) { traits_.vector_unit = unit, traits_.plane_padding_bytes = bytes; }
  /// It sums no more terms in a launch, and in a product.
  void limits_terms(Index at_once, Index of_a_product) { traits_.most_terms_at_once = at_once, traits_.most_terms = of_a_product; }
  void lose_kernel(const std::string& name) { lost_kernel_ = name; }
  void compute_wrongly(const std::optional<WrongResult>& wrong) { wrong_ = wrong; }
  /// Bytes of memory that are allocated and not freed.
  std::uint64_t bytes_alive() const { return *bytes_alive_; }

 private:
  friend class FaultyQueue;
  void count_call(Status status, const char* what);

  device::Device& inner_;
  device::Traits traits_;
  Index calls_ = 0, failing_call_ = 0;
  Failures failures_ = Failures::One;
  std::map<std::string, Index> launches_;
  std::vector<std::string> loaded_;
  std::uint64_t most_bytes_ = UINT64_MAX;
  bool marks_ = false;
  std::string lost_kernel_;
  std::optional<WrongResult> wrong_;
  std::shared_ptr<std::uint64_t> bytes_alive_ = std::make_shared<std::uint64_t>(0);
};

}  // namespace ab::test
