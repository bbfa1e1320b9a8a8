// SPDX-License-Identifier: MIT
#include "device/metal/buffer.hpp"

#import <Metal/Metal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace ab::device::metal {
namespace {

// What the host has written is seen by commands committed later; the host looks only after they are done.
constexpr MTLResourceOptions options = MTLResourceStorageModeShared;

}  // namespace

Buffer::Buffer(std::shared_ptr<Gpu> gpu, std::size_t bytes) : gpu_(std::move(gpu)), bytes_(bytes) {
  const AutoreleasePool pool;
  gpu_->require_usable();
  const std::uint64_t most = gpu_->traits().max_buffer_bytes;
  if (bytes > most) {
    throw Error(Status::AllocFailed,
                gpu_->id_text() + ": a buffer of " + std::to_string(bytes) + " bytes, the device has " + std::to_string(most) + " in one");
  }
  handle_ = Owned::taking([static_cast<id<MTLDevice>>(gpu_->handle()) newBufferWithLength:std::max<std::size_t>(bytes, 16)
                                                                                  options:options]);
  if (!handle_) throw Error(Status::AllocFailed, gpu_->id_text() + ": no memory for " + std::to_string(bytes) + " bytes");
}

Buffer::Buffer(std::shared_ptr<Gpu> gpu, Owned handle, std::size_t bytes, std::size_t offset)
    : gpu_(std::move(gpu)), handle_(std::move(handle)), bytes_(bytes), offset_(offset) {}

std::unique_ptr<Buffer> Buffer::adopt(std::shared_ptr<Gpu> gpu, std::span<std::byte> host) {
  const AutoreleasePool pool;
  gpu->require_usable();
  const auto address = reinterpret_cast<std::uintptr_t>(host.data()), page = static_cast<std::uintptr_t>(getpagesize());
  if (host.empty() || address % alignof(std::uint64_t) != 0) return nullptr;
  const std::uintptr_t first = address & ~(page - 1), end = (address + host.size() + page - 1) & ~(page - 1);
  if (end - first > gpu->traits().max_buffer_bytes) return nullptr;
  Owned handle = Owned::taking([static_cast<id<MTLDevice>>(gpu->handle()) newBufferWithBytesNoCopy:reinterpret_cast<void*>(first)
                                                                                            length:end - first
                                                                                           options:options
                                                                                       deallocator:nil]);
  if (!handle) return nullptr;
  return std::unique_ptr<Buffer>(new Buffer(std::move(gpu), std::move(handle), host.size(), address - first));
}

Buffer::~Buffer() {
  if (!gpu_->may_release()) handle_.abandon();
}

std::byte* Buffer::data() const {
  return static_cast<std::byte*>([static_cast<id<MTLBuffer>>(handle_.get()) contents]) + offset_;
}

}  // namespace ab::device::metal
