// SPDX-License-Identifier: MIT
// Memory that host and device share: of our own, or pages of the program's adopted in place.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "device/metal/gpu.hpp"

namespace ab::device::metal {

class Buffer {
 public:
  /// Throws Error(AllocFailed) when there is no memory, or more is asked for than the device has in one buffer.
  Buffer(std::shared_ptr<Gpu> gpu, std::size_t bytes);
  /// The pages that `host` lies on, in place; null when it must be copied: an address that is no multiple of 8, pages that the
  /// device refuses, more than it has in one buffer. Nobody but the program knows what else is on those pages, so nothing is written there.
  static std::unique_ptr<Buffer> adopt(std::shared_ptr<Gpu> gpu, std::span<std::byte> host);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  id handle() const { return handle_.get(); }
  std::size_t bytes() const { return bytes_; }
  /// Where the memory begins within the Metal buffer.
  std::size_t offset() const { return offset_; }
  /// Valid for the host when no command touches it.
  std::byte* data() const;

 private:
  Buffer(std::shared_ptr<Gpu> gpu, Owned handle, std::size_t bytes, std::size_t offset);
  const std::shared_ptr<Gpu> gpu_;
  Owned handle_;
  std::size_t bytes_, offset_ = 0;
};

}  // namespace ab::device::metal
