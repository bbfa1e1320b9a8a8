// SPDX-License-Identifier: MIT
// Device memory that products use, kept between them: what a product leaves, the next one of its size takes.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "device/device.hpp"

namespace ab::device {

class BufferPool;

/// A buffer in use; goes back to the pool when it dies.
class Lease {
 public:
  Lease() = default;
  Lease(std::shared_ptr<BufferPool> pool, std::unique_ptr<Memory> memory, std::size_t slack_bytes)
      : pool_(std::move(pool)), memory_(std::move(memory)), slack_bytes_(slack_bytes) {}
  Lease(Lease&&) = default;
  Lease& operator=(Lease&& other) noexcept {
    release();
    pool_ = std::move(other.pool_);
    memory_ = std::move(other.memory_);
    slack_bytes_ = other.slack_bytes_;
    return *this;
  }
  ~Lease() { release(); }
  Slice slice(std::size_t offset = 0) const { return {memory_.get(), offset}; }
  Memory& memory() const { return *memory_; }
  explicit operator bool() const { return memory_ != nullptr; }

 private:
  void release() noexcept;
  std::shared_ptr<BufferPool> pool_;
  std::unique_ptr<Memory> memory_;
  std::size_t slack_bytes_ = 0;  // of a kept buffer: what it has beyond a fresh one
};

/// Thread-safe. What is kept goes, the least recently used first, before the cap is exceeded. Users that hold more than one buffer at once
/// reserve first what they will hold: then all together stay under the cap.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  BufferPool(Device& device, std::uint64_t cap) : device_(device), cap_(cap) {}

  /// Makes others give back so many bytes, if it can.
  using MakeRoom = std::function<void(std::uint64_t excess_bytes)>;
  /// At least `bytes` of device memory, contents undefined. Kept buffers are given up before the device is said to have no memory.
  Lease lease(std::size_t bytes, const MakeRoom& make_room = {});
  /// Waits until so many bytes fit under the cap beside all that is reserved; who came first goes first. At once where nothing is
  /// reserved, and in a forked child, where those that were do not exist. Nobody who has reserved something waits for more.
  /// Returns what to give back.
  std::uint64_t reserve(std::uint64_t bytes);
  void give_back(std::uint64_t reserved_bytes) noexcept;
  void trim();                       // gives all kept buffers back to the device
  std::uint64_t held_bytes() const;  // used and kept
  std::uint64_t used_bytes() const;
  std::uint64_t peak_bytes() const;

 private:
  friend class Lease;
  void take_back(std::unique_ptr<Memory> memory, std::size_t slack_bytes) noexcept;
  std::unique_ptr<Memory> find_kept(std::size_t bytes);
  std::unique_ptr<Memory> allocate(std::size_t bytes, const MakeRoom& make_room);
  std::uint64_t claim(std::size_t bytes);
  std::list<std::unique_ptr<Memory>> take_beyond_cap();  // under the lock
  bool has_room_for(std::uint64_t bytes) const;          // under the lock

  Device& device_;
  const std::uint64_t cap_;
  std::list<std::unique_ptr<Memory>> kept_;  // most recently used first
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
  std::uint64_t claimed_bytes_ = 0;  // in use, or about to be
  std::uint64_t slack_bytes_ = 0;
  std::uint64_t reserved_bytes_ = 0;
  std::uint64_t last_ticket_ = 0, served_ = 0;  // of those that reserve
  std::mutex making_room_;                      // who needs room waits for the one who makes some; not in a forked child
  std::atomic<std::uint32_t> changes_{0};       // of what reserving waits for; no condition variable, which a fork could leave in pieces
};

}  // namespace ab::device
