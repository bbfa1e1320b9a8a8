// SPDX-License-Identifier: MIT
// An open Metal device, shared by the memory, pipelines and queues on it, and whether it can still be used.
#pragma once
#include <atomic>
#include <mutex>
#include <string>

#include "core/error.hpp"
#include "device/device.hpp"
#include "device/metal/objects.hpp"

namespace ab::device::metal {

/// How many devices there are, and what they say of themselves. Call with a pool in place.
int device_count();
Traits describe(int ordinal);

class Gpu {
 public:
  /// Throws Error(NoDevice) when there is no such device, and in a forked child.
  explicit Gpu(int ordinal);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  id handle() const { return device_.get(); }
  const Traits& traits() const { return traits_; }
  const std::string& id_text() const { return traits_.id; }
  /// Whether native kernels can run: they take 8 x 8 matrices of a SIMD-group.
  bool has_simdgroup_matrices() const { return simdgroup_matrices_; }

  /// Throws Error(NoDevice) for a lost device and in a forked child.
  void require_usable();
  /// False where nothing may be given back: in a forked child, whose copy of the driver is dead.
  bool may_release() const;
  /// Throws what the error of a command buffer means: AllocFailed, NoDevice (and the device stays lost), else KernelFailed.
  [[noreturn]] void fail(id error, const char* what);

 private:
  Owned device_;
  Traits traits_;
  bool simdgroup_matrices_ = false;
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::string why_lost_;  // guarded by mutex_
};

/// An NSError in words: text and number.
std::string text_of(id error);

}  // namespace ab::device::metal
