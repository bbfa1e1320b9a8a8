// SPDX-License-Identifier: MIT
// What a buffer of the device-buffer API points to, and the checks that its functions share.
#pragma once
#include "apple_bottom_device.h"
#include "capi/matrix.hpp"

struct ab_dev_buffer_s {
  ABMatrix_s* storage;  // a matrix without a shape: waited for, released and emptied at shutdown like any other
  std::size_t bytes;
};

namespace ab::capi {

struct BufferArgument {  // under the name that error texts use
  const char* name;
  ab_dev_buffer_t buffer;
};

struct BufferPlace {
  ab_dev_buffer_t buffer;
  std::size_t offset;  // bytes
};

/// Bytes of host and device memory that correspond: `height` rows of `width` bytes.
struct Rows {
  std::size_t width, height, device_pitch, host_pitch;
};
/// Copies that were checked, by a queue of the buffer's context; counted when they have ended.
void copy_in(device::Queue& queue, const BufferPlace& to, const void* from, const Rows& rows);
void copy_out(device::Queue& queue, void* to, const BufferPlace& from, const Rows& rows);
/// The queue of the buffer's context, for what is synchronous.
device::Queue& queue_of(ab_dev_buffer_t buffer);

/// InvalidArgument: NULL.
void require_pointer(const char* name, const void* pointer);
void require_buffer(const BufferArgument& argument);
/// InvalidArgument: `bytes` from `offset` on are not all inside the buffer.
void require_range(const BufferArgument& argument, std::size_t offset, std::size_t bytes);
/// NoDevice: from before a shutdown, or on a device that is gone.
void require_usable_buffer(const BufferArgument& argument);
/// InvalidArgument: buffers on different devices.
void require_one_device(const BufferArgument& a, const BufferArgument& b);

}  // namespace ab::capi
