// SPDX-License-Identifier: MIT
// Device buffers: memory, synchronous copies, fills.
#include <algorithm>
#include <cstdint>
#include <new>
#include <span>

#include "capi/arguments.hpp"
#include "capi/device_buffer.hpp"
#include "capi/guarded.hpp"
#include "capi/stopwatch.hpp"
#include "ops/elementwise.hpp"
#include "report/statistics.hpp"

using ab::Status;
using ab::capi::BufferArgument;
using ab::capi::fail;
using ab::capi::guarded_life;
using ab::capi::guarded_operation;
using ab::capi::require_buffer;
using ab::capi::require_range;
using ab::capi::require_usable_buffer;
using ab::capi::Writing;

namespace ab::capi {

void require_buffer(const BufferArgument& argument) {
  if (!argument.buffer) fail(Status::InvalidArgument, std::string(argument.name) + " is NULL, expected a buffer");
}

void require_range(const BufferArgument& argument, std::size_t offset, std::size_t bytes) {
  const std::size_t size = argument.buffer->bytes;
  if (offset <= size && bytes <= size - offset) return;
  fail(Status::InvalidArgument, std::string(argument.name) + " has " + std::to_string(size) + " bytes: " + std::to_string(bytes) +
                                    " bytes from " + std::to_string(offset) + " on are not inside");
}

void require_usable_buffer(const BufferArgument& argument) {
  const Argument storage = {argument.name, argument.buffer->storage};
  require_usable(std::span(&storage, 1));
}

void require_one_device(const BufferArgument& a, const BufferArgument& b) {
  const Argument both[] = {{a.name, a.buffer->storage}, {b.name, b.buffer->storage}};
  require_one_device(both);
}

device::Queue& queue_of(ab_dev_buffer_t buffer) {
  return ops::queue_of(*buffer->storage->context);
}

void copy_in(device::Queue& queue, const BufferPlace& to, const void* from, const Rows& rows) {
  ABMatrix_s& storage = *to.buffer->storage;
  const Stopwatch stopwatch;
  const Writing writing({&storage});
  const auto* bytes = static_cast<const std::byte*>(from);
  for (std::size_t row = 0; row < rows.height; ++row) {
    queue.write(*storage.memory, to.offset + row * rows.device_pitch, std::span(bytes + row * rows.host_pitch, rows.width));
  }
  queue.finish();
  report::count_transfer(static_cast<Index>(rows.width * rows.height / sizeof(double)), stopwatch.elapsed_ms(), report::Direction::Upload);
}

void copy_out(device::Queue& queue, void* to, const BufferPlace& from, const Rows& rows) {
  const ABMatrix_s& storage = *from.buffer->storage;
  const Stopwatch stopwatch;
  auto* bytes = static_cast<std::byte*>(to);
  for (std::size_t row = 0; row < rows.height; ++row) {
    queue.read(*storage.memory, from.offset + row * rows.device_pitch, std::span(bytes + row * rows.host_pitch, rows.width));
  }
  report::count_transfer(static_cast<Index>(rows.width * rows.height / sizeof(double)), stopwatch.elapsed_ms(),
                         report::Direction::Download);
}

void require_pointer(const char* name, const void* pointer) {
  if (!pointer) fail(Status::InvalidArgument, std::string(name) + " is NULL");
}

}  // namespace ab::capi

namespace {

using ab::capi::Rows;

// The bytes from the first row's first to the last row's last, or more than any buffer has.
std::size_t reach_of(std::size_t pitch, std::size_t width, std::size_t height) {
  if (height == 0 || width == 0) return 0;
  if (pitch != 0 && height - 1 > (SIZE_MAX - width) / pitch) return SIZE_MAX;
  return (height - 1) * pitch + width;
}

void require_pitch(const char* name, std::size_t pitch, std::size_t width) {
  if (pitch >= width) return;
  fail(Status::InvalidArgument, std::string(name) + " is " + std::to_string(pitch) + ", less than the width " + std::to_string(width));
}

// A copy within one memory may overlap: through memory of its own then.
void copy_within(ab_dev_buffer_t buffer, std::size_t to, std::size_t from, std::size_t bytes) {
  ABMatrix_s& storage = *buffer->storage;
  const auto between = ab::ops::allocate(*storage.context, bytes);
  ab::device::Queue& queue = ab::ops::queue_of(*storage.context);
  queue.copy({storage.memory.get(), from}, {between.get(), 0}, bytes);
  queue.copy({between.get(), 0}, {storage.memory.get(), to}, bytes);
  queue.finish();
}

void copy(const BufferArgument& dst, std::size_t dst_offset, const BufferArgument& src, std::size_t src_offset, std::size_t bytes) {
  require_buffer(dst);
  require_buffer(src);
  require_range(dst, dst_offset, bytes);
  require_range(src, src_offset, bytes);
  if (bytes == 0) return;
  require_usable_buffer(dst);
  require_usable_buffer(src);
  require_one_device(dst, src);
  ABMatrix_s &to = *dst.buffer->storage, &from = *src.buffer->storage;
  const Writing writing({&to});
  if (&to == &from) return copy_within(dst.buffer, dst_offset, src_offset, bytes);
  ab::ops::queue_of(*to.context).copy({from.memory.get(), src_offset}, {to.memory.get(), dst_offset}, bytes);
  ab::ops::queue_of(*to.context).finish();
}

void fill(const BufferArgument& argument, std::size_t offset, int value, std::size_t bytes) {
  require_buffer(argument);
  require_range(argument, offset, bytes);
  if (bytes == 0) return;
  require_usable_buffer(argument);
  ABMatrix_s& storage = *argument.buffer->storage;
  const Writing writing({&storage});
  constexpr std::size_t piece = std::size_t{1} << 20;  // chosen: what is filled at a time
  const std::vector<std::byte> pattern(std::min(bytes, piece), static_cast<std::byte>(value & 0xff));
  ab::device::Queue& queue = ab::ops::queue_of(*storage.context);
  for (std::size_t done = 0; done < bytes; done += piece) {
    queue.write(*storage.memory, offset + done, std::span(pattern).first(std::min(piece, bytes - done)));
  }
  queue.finish();
}

}  // namespace

extern "C" {

ab_dev_buffer_t ab_dev_malloc(size_t nbytes) {
  ab_dev_buffer_t buffer = nullptr;
  guarded_life("ab_dev_malloc", [&] {
    if (nbytes == 0) fail(Status::InvalidArgument, "nbytes is 0, expected at least 1");
    if (nbytes > SIZE_MAX - 8) throw std::bad_alloc();
    auto made = std::make_unique<ab_dev_buffer_s>();
    made->storage = ab::capi::create_storage(ab::ops::current_context(), (nbytes + 7) / 8 * 8, "the buffer");
    made->bytes = nbytes;
    buffer = made.release();
  });
  return buffer;
}

void ab_dev_free(ab_dev_buffer_t buf) {
  if (!buf) return;
  guarded_life("ab_dev_free", [&] {
    const std::unique_ptr<ab_dev_buffer_s> owned(buf);
    ab::capi::let_go(*buf->storage);
  });
}

size_t ab_dev_buffer_size(ab_dev_buffer_t buf) {
  return buf ? buf->bytes : 0;
}

ABStatus ab_dev_memcpy_h2d(ab_dev_buffer_t dst, size_t dst_offset, const void* src, size_t nbytes) {
  return guarded_operation("ab_dev_memcpy_h2d", [&] {
    require_buffer({"dst", dst});
    ab::capi::require_pointer("src", src);
    require_range({"dst", dst}, dst_offset, nbytes);
    if (nbytes == 0) return;
    require_usable_buffer({"dst", dst});
    ab::capi::copy_in(ab::capi::queue_of(dst), {dst, dst_offset}, src, {nbytes, 1, 0, 0});
  });
}

ABStatus ab_dev_memcpy_d2h(void* dst, ab_dev_buffer_t src, size_t src_offset, size_t nbytes) {
  return guarded_operation("ab_dev_memcpy_d2h", [&] {
    ab::capi::require_pointer("dst", dst);
    require_buffer({"src", src});
    require_range({"src", src}, src_offset, nbytes);
    if (nbytes == 0) return;
    require_usable_buffer({"src", src});
    ab::capi::copy_out(ab::capi::queue_of(src), dst, {src, src_offset}, {nbytes, 1, 0, 0});
  });
}

ABStatus ab_dev_memcpy_d2d(ab_dev_buffer_t dst, size_t dst_offset, ab_dev_buffer_t src, size_t src_offset, size_t nbytes) {
  return guarded_operation("ab_dev_memcpy_d2d", [&] { copy({"dst", dst}, dst_offset, {"src", src}, src_offset, nbytes); });
}

ABStatus ab_dev_memcpy_h2d_strided(ab_dev_buffer_t dst, size_t dst_offset, size_t dst_pitch, const void* src, size_t src_pitch,
                                   size_t width, size_t height) {
  return guarded_operation("ab_dev_memcpy_h2d_strided", [&] {
    require_buffer({"dst", dst});
    ab::capi::require_pointer("src", src);
    require_pitch("dst_pitch", dst_pitch, width);
    require_pitch("src_pitch", src_pitch, width);
    require_range({"dst", dst}, dst_offset, reach_of(dst_pitch, width, height));
    if (width == 0 || height == 0) return;
    require_usable_buffer({"dst", dst});
    ab::capi::copy_in(ab::capi::queue_of(dst), {dst, dst_offset}, src, {width, height, dst_pitch, src_pitch});
  });
}

ABStatus ab_dev_memcpy_d2h_strided(void* dst, size_t dst_pitch, ab_dev_buffer_t src, size_t src_offset, size_t src_pitch, size_t width,
                                   size_t height) {
  return guarded_operation("ab_dev_memcpy_d2h_strided", [&] {
    ab::capi::require_pointer("dst", dst);
    require_buffer({"src", src});
    require_pitch("dst_pitch", dst_pitch, width);
    require_pitch("src_pitch", src_pitch, width);
    require_range({"src", src}, src_offset, reach_of(src_pitch, width, height));
    if (width == 0 || height == 0) return;
    require_usable_buffer({"src", src});
    ab::capi::copy_out(ab::capi::queue_of(src), dst, {src, src_offset}, {width, height, src_pitch, dst_pitch});
  });
}

ABStatus ab_dev_memset(ab_dev_buffer_t buf, size_t offset, int value, size_t nbytes) {
  return guarded_operation("ab_dev_memset", [&] { fill({"buf", buf}, offset, value, nbytes); });
}

}  // extern "C"
