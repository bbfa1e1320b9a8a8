// SPDX-License-Identifier: MIT
// An open device with what products need of it (queue, kept buffers, loaded kernels), and the life of the library.
#pragma once
#include <memory>
#include <string>

#include "core/types.hpp"
#include "device/device.hpp"

namespace ab::ops {

class Context;

/// Opens the calling thread's current device and tests it; idempotent, thread-safe. Throws Error: NoDevice when the device asked
/// for by AB_DEVICE is absent or refused; ShaderCompile; AllocFailed. Without an explicit AB_DEVICE it falls back to `cpu`.
void initialize();
/// Waits for all work, frees device memory. Contexts of before are dead afterwards: `alive` is false for them.
void shutdown();
bool is_initialized();

/// The calling thread's current device, opened (and the library initialised) if need be. Throws as `initialize`.
std::shared_ptr<Context> current_context();
/// Same, but never initialises: null before initialize().
std::shared_ptr<Context> current_context_if_initialized();
/// A cpu device that packs for other devices: its residues and pairs have the layout of the common kernels.
std::shared_ptr<Context> packing_context();
/// False for a context from before a shutdown, or of a GPU after fork in the child.
bool alive(const Context& context);

int current_device_index();
/// Opens and tests the device; throws Error: InvalidArgument (range), NoDevice (refused); the selection then stays.
void select_device(int index);
/// True in a child after fork (the parent had used us before).
bool is_forked_child();

device::Device& device_of(Context& context);
device::Queue& queue_of(Context& context);
/// A queue beside the context's own, the same one for the same number from 1 on; one thread at a time. Work in it waits for no other's.
device::Queue& queue_of_stream(Context& context, std::uint64_t stream);
/// Gives its queues back, of all contexts: none of its work is unfinished.
void close_stream(std::uint64_t stream);
int index_of(const Context& context);
/// Device memory for a matrix. What products have left there is given up before there is said to be no memory.
std::unique_ptr<device::Memory> allocate(Context& context, std::size_t bytes);
/// Contents (VectorView) that exist no more: nothing is kept of them.
void forget(Context& context, std::uint64_t contents);
/// Device memory held by products now and at most since the start, bytes.
struct MemoryUse {
  std::uint64_t held_bytes, peak_bytes;
};
MemoryUse memory_use(const Context& context);

/// What this process has used of devices, also after a shutdown. Opens nothing.
struct DeviceUse {
  int device = -1;                              // the last one opened, cpu only if no other was; -1: none
  std::string refusal;                          // it was not opened: why its self-test refused it
  std::uint64_t cap_bytes = 0, peak_bytes = 0;  // of the memory that products hold; the peak over all devices
};
DeviceUse device_use();

}  // namespace ab::ops
