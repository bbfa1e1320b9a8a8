// SPDX-License-Identifier: MIT
// The primary context of a CUDA device: the one that the program's other libraries use too. Retained while the device is open.
#pragma once
#include <atomic>
#include <mutex>
#include <string>

#include "core/error.hpp"
#include "device/cuda/driver.hpp"

namespace ab::device::cuda {

class PrimaryContext {
 public:
  /// Throws Error when the device cannot be used.
  PrimaryContext(const Driver& driver, int ordinal);
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  ~PrimaryContext();

  const Driver& driver() const { return driver_; }
  const std::string& id() const { return id_; }

  /// Turns a failed call into an Error that names it: AllocFailed when memory is out, NoDevice when the device is lost (it stays lost),
  /// else the given status.
  void check(Result result, const char* call, Status failure = Status::KernelFailed);

 private:
  friend class Current;
  friend class CurrentForRelease;
  void require_usable();

  const Driver& driver_;
  const std::string id_;
  Number number_ = 0;
  ContextHandle handle_ = nullptr;
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::string why_lost_;  // guarded by mutex_
};

/// Makes the context the thread's current one for a scope, after which the caller's is current again. Throws Error(NoDevice) for a
/// lost device and in a forked child, where CUDA cannot be used.
class Current {
 public:
  explicit Current(PrimaryContext& context);
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current();

 private:
  PrimaryContext& context_;
};

/// The same for giving things back: false instead of an Error, and a lost device is asked all the same.
class CurrentForRelease {
 public:
  explicit CurrentForRelease(PrimaryContext& context) noexcept;
  CurrentForRelease(const CurrentForRelease&) = delete;
  CurrentForRelease& operator=(const CurrentForRelease&) = delete;
  ~CurrentForRelease();
  explicit operator bool() const { return is_current_; }

 private:
  PrimaryContext& context_;
  bool is_current_;
};

}  // namespace ab::device::cuda
