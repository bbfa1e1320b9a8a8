// SPDX-License-Identifier: MIT
#include "device/metal/gpu.hpp"

#import <Metal/Metal.h>

#include "core/process.hpp"

namespace ab::device::metal {
namespace {

// One of several GPUs of a Mac may be an external one that is pulled out later: the list is made anew by each call.
Owned all_devices() {
  return Owned::taking(MTLCopyAllDevices());
}

NSUInteger count_of(const Owned& devices) {
  return [static_cast<NSArray*>(devices.get()) count];
}

id<MTLDevice> device_at(const Owned& devices, int ordinal) {
  return [static_cast<NSArray*>(devices.get()) objectAtIndex:static_cast<NSUInteger>(ordinal)];
}

std::string id_of(int ordinal) {
  return ordinal == 0 ? "metal" : "metal:" + std::to_string(ordinal);
}

int apple_family(id<MTLDevice> device) {
  int family = 0;
  for (int n = 1; n <= 20; ++n) {  // MTLGPUFamilyApple1 is 1001; the newest known when this was written is Apple10
    if ([device supportsFamily:static_cast<MTLGPUFamily>(1000 + n)]) family = n;
  }
  return family;
}

constexpr int first_with_matrices = 7;  // Apple7: M1

Traits traits_of(id<MTLDevice> device, int ordinal) {
  Traits traits;
  traits.id = id_of(ordinal);
  traits.name = [[device name] UTF8String];
  const int family = apple_family(device);
  traits.features = family > 0 ? "Apple GPU family " + std::to_string(family) : "no Apple GPU";
  traits.memory_bytes = [device recommendedMaxWorkingSetSize];
  traits.max_buffer_bytes = [device maxBufferLength];
  traits.unified_memory = [device hasUnifiedMemory];
  traits.family = ModuliFamily::Ten;
  return traits;
}

}  // namespace

int device_count() {
  return static_cast<int>(count_of(all_devices()));
}

Traits describe(int ordinal) {
  return traits_of(device_at(all_devices(), ordinal), ordinal);
}

Gpu::Gpu(int ordinal) {
  if (is_forked_child()) throw Error(Status::NoDevice, id_of(ordinal) + " cannot be used in a forked child");
  const Owned devices = all_devices();
  if (static_cast<NSUInteger>(ordinal) >= count_of(devices))
    throw Error(Status::NoDevice, id_of(ordinal) + ": there is no such device here");
  device_ = Owned::sharing(device_at(devices, ordinal));
  traits_ = traits_of(device_.get(), ordinal);
  simdgroup_matrices_ = apple_family(device_.get()) >= first_with_matrices;
}

Gpu::~Gpu() {
  if (!may_release()) device_.abandon();
}

void Gpu::require_usable() {
  if (is_forked_child()) throw Error(Status::NoDevice, id_text() + " cannot be used in a forked child");
  if (!lost_.load(std::memory_order_relaxed)) return;
  const std::scoped_lock lock(mutex_);
  throw Error(Status::NoDevice, id_text() + " was lost: " + why_lost_);
}

bool Gpu::may_release() const {
  return !is_forked_child();
}

void Gpu::fail(id error, const char* what) {
  const std::string text = id_text() + ": " + what + " failed: " + text_of(error);
  const NSInteger code = error == nil ? MTLCommandBufferErrorInternal : [static_cast<NSError*>(error) code];
  if (code == MTLCommandBufferErrorOutOfMemory) throw Error(Status::AllocFailed, text);
  if (code != MTLCommandBufferErrorAccessRevoked && code != MTLCommandBufferErrorDeviceRemoved) throw Error(Status::KernelFailed, text);
  const std::scoped_lock lock(mutex_);
  if (!lost_.exchange(true)) why_lost_ = text;
  throw Error(Status::NoDevice, text);
}

std::string text_of(id error) {
  if (error == nil) return "no reason given";
  auto* const said = static_cast<NSError*>(error);
  return std::string([[said localizedDescription] UTF8String]) + " (" + std::to_string(static_cast<long>([said code])) + ")";
}

}  // namespace ab::device::metal
