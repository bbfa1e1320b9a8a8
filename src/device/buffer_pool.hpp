// SPDX-License-Identifier: MIT
// Device memory that products use, kept between them: what a product leaves, the next one of its size takes.
#pragma once
#include <cstdint>
#include <list>
#include <memory>

#include "device/device.hpp"

namespace ab::device {

class BufferPool;

/// A buffer in use; goes back to the pool when it dies.
class Lease {
 public:
  Lease() = default;
  Lease(std::shared_ptr<BufferPool> pool, std::unique_ptr<Memory> memory) : pool_(std::move(pool)), memory_(std::move(memory)) {}
  Lease(Lease&&) = default;
  Lease& operator=(Lease&& other) noexcept {
    release();
    pool_ = std::move(other.pool_);
    memory_ = std::move(other.memory_);
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
};

/// Thread-safe. Holds at most `cap` bytes beyond what is in use; the least recently used buffers go first.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  BufferPool(Device& device, std::uint64_t cap) : device_(device), cap_(cap) {}

  /// At least `bytes` of device memory, contents undefined. Kept buffers are given up before the device is said to have no memory.
  Lease lease(std::size_t bytes);
  void trim();                       // gives all kept buffers back to the device
  std::uint64_t held_bytes() const;  // used and kept
  std::uint64_t used_bytes() const;
  std::uint64_t peak_bytes() const;

 private:
  friend class Lease;
  void take_back(std::unique_ptr<Memory> memory) noexcept;
  std::unique_ptr<Memory> find_kept(std::size_t bytes);
  std::unique_ptr<Memory> allocate(std::size_t bytes);
  std::list<std::unique_ptr<Memory>> take_beyond_cap(std::size_t more);  // under the lock

  Device& device_;
  const std::uint64_t cap_;
  std::list<std::unique_ptr<Memory>> kept_;  // most recently used first
  std::uint64_t kept_bytes_ = 0;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
};

}  // namespace ab::device
