// SPDX-License-Identifier: MIT
// Pinned memory between pageable host memory and the device: chunks go through it in turn, so that the threads of the host copy one
// while the device moves another.
#pragma once
#include <array>
#include <span>

#include "device/cuda/primary_context.hpp"

namespace ab::device::cuda {

/// Belongs to one stream; one thread at a time, with the context current. Pinned memory is taken at the first use.
class StagingRing {
 public:
  // Chosen: a chunk takes about 80 us at 50 GB/s, some times what threads cost that share its copy, and 16 MiB pinned a queue hurt nobody.
  static constexpr std::size_t slot_bytes = std::size_t{4} << 20;
  static constexpr std::size_t slot_count = 4;

  StagingRing(PrimaryContext& context, StreamHandle stream, int threads) : context_(context), stream_(stream), threads_(threads) {}
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;

  /// To `offset` of an allocation. Returns when `from` may change. The device receives it after `flush` at the latest: what follows one
  /// another in an allocation, columns of a matrix, say, goes as one copy.
  void upload(Address allocation, std::size_t offset, std::span<const std::byte> from);
  void flush();
  /// Returns when `to` is complete.
  void download(Address from, std::span<std::byte> to);
  /// Gives pinned memory and events back. The stream must have finished; the context must be current.
  void release() noexcept;

 private:
  struct Slot {
    std::byte* data = nullptr;
    EventHandle done = nullptr;
    bool in_flight = false;  // `done` has been recorded and not yet waited for
  };
  struct Unsent {  // of the current slot
    Address allocation = 0;
    std::size_t offset = 0, first = 0, bytes = 0;
  };
  void reserve();  // of slots that may be used
  void record(Slot& slot);
  void wait_for(Slot& slot);
  void advance();

  PrimaryContext& context_;
  StreamHandle stream_;
  const int threads_;
  std::array<Slot, slot_count> slots_{};
  std::size_t current_ = 0;
  std::size_t used_bytes_ = 0;  // of the current slot, by uploads that no event follows yet
  Unsent unsent_;
  bool unknown_in_flight_ = false;  // neither an event nor a wait was to be had: no slot is used before a wait
};

}  // namespace ab::device::cuda
