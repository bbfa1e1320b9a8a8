// SPDX-License-Identifier: MIT
#include "device/cuda/staging_ring.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "device/threads.hpp"

namespace ab::device::cuda {
namespace {

constexpr std::size_t alignment = 64;  // chosen: copies begin at cache lines
static_assert(StagingRing::slot_bytes % alignment == 0);

// One core moves some 10 GB/s, and touches fresh pages slower: the bus is faster than that.
void copy(std::byte* to, std::span<const std::byte> from, int threads) {
  constexpr std::size_t piece = std::size_t{64} << 10;
  share(static_cast<Index>((from.size() + piece - 1) / piece), static_cast<Index>(from.size()), threads, [&](Index first, Index last) {
    const std::size_t begin = static_cast<std::size_t>(first) * piece, end = std::min(from.size(), static_cast<std::size_t>(last) * piece);
    std::memcpy(to + begin, from.data() + begin, end - begin);
  });
}

}  // namespace

void StagingRing::reserve() {
  const Driver& driver = context_.driver();
  if (unknown_in_flight_) {
    context_.check(driver.stream_synchronize(stream_), "cuStreamSynchronize");
    unknown_in_flight_ = false;
  }
  for (Slot& slot : slots_) {
    if (slot.data == nullptr) {
      void* data = nullptr;
      context_.check(driver.mem_host_alloc(&data, slot_bytes, 0), "cuMemHostAlloc", Status::AllocFailed);
      slot.data = static_cast<std::byte*>(data);
    }
    if (slot.done == nullptr) context_.check(driver.event_create(&slot.done, event_disable_timing), "cuEventCreate");
  }
}

void StagingRing::record(Slot& slot) {
  const Result result = context_.driver().event_record(slot.done, stream_);
  if (result != success) {  // nothing may be in flight without an event behind it
    unknown_in_flight_ = context_.driver().stream_synchronize(stream_) != success;
  }
  context_.check(result, "cuEventRecord");
  slot.in_flight = true;
}

void StagingRing::wait_for(Slot& slot) {
  if (!slot.in_flight) return;
  context_.check(context_.driver().event_synchronize(slot.done), "cuEventSynchronize");
  slot.in_flight = false;
}

void StagingRing::advance() {
  flush();
  used_bytes_ = 0;
  Slot& filled = slots_[current_];
  current_ = (current_ + 1) % slot_count;
  record(filled);
}

void StagingRing::flush() {
  const Unsent unsent = std::exchange(unsent_, {});
  if (unsent.bytes == 0) return;
  context_.check(
      context_.driver().copy_to_device(unsent.allocation + unsent.offset, slots_[current_].data + unsent.first, unsent.bytes, stream_),
      "cuMemcpyHtoDAsync");
}

void StagingRing::upload(Address allocation, std::size_t offset, std::span<const std::byte> from) {
  reserve();
  if (unsent_.allocation != allocation || unsent_.offset + unsent_.bytes != offset) {  // no copy goes beyond an allocation
    flush();
    used_bytes_ = (used_bytes_ + alignment - 1) / alignment * alignment;
  }
  while (!from.empty()) {
    if (used_bytes_ == slot_bytes) advance();
    Slot& slot = slots_[current_];
    if (used_bytes_ == 0) wait_for(slot);
    const std::size_t bytes = std::min(from.size(), slot_bytes - used_bytes_);
    copy(slot.data + used_bytes_, from.first(bytes), threads_);
    if (unsent_.bytes == 0) unsent_ = {allocation, offset, used_bytes_, 0};
    unsent_.bytes += bytes;
    used_bytes_ += bytes;
    offset += bytes;
    from = from.subspan(bytes);
  }
}

void StagingRing::download(Address from, std::span<std::byte> to) {
  reserve();
  if (used_bytes_ > 0) advance();
  const std::size_t chunks = (to.size() + slot_bytes - 1) / slot_bytes, first = current_;
  const auto chunk = [&](std::size_t index) {
    return to.subspan(index * slot_bytes, std::min(slot_bytes, to.size() - index * slot_bytes));
  };
  std::size_t asked = 0;
  for (std::size_t fetched = 0; fetched < chunks; ++fetched) {
    for (; asked < chunks && asked < fetched + slot_count; ++asked) {
      Slot& slot = slots_[(first + asked) % slot_count];
      wait_for(slot);
      context_.check(context_.driver().copy_to_host(slot.data, from + asked * slot_bytes, chunk(asked).size(), stream_),
                     "cuMemcpyDtoHAsync");
      record(slot);
    }
    Slot& slot = slots_[(first + fetched) % slot_count];
    wait_for(slot);
    copy(chunk(fetched).data(), {slot.data, chunk(fetched).size()}, threads_);
  }
  current_ = (first + chunks) % slot_count;
}

void StagingRing::release() noexcept {
  for (Slot& slot : slots_) {
    if (slot.done != nullptr) context_.driver().event_destroy(slot.done);
    if (slot.data != nullptr) context_.driver().mem_free_host(slot.data);
    slot = {};
  }
}

}  // namespace ab::device::cuda
