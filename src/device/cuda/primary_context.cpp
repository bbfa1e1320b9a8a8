// SPDX-License-Identifier: MIT
#include "device/cuda/primary_context.hpp"

#include "core/process.hpp"

namespace ab::device::cuda {

PrimaryContext::PrimaryContext(const Driver& driver, int ordinal) : driver_(driver), id_("cuda:" + std::to_string(ordinal)) {
  if (is_forked_child()) throw Error(Status::NoDevice, id_ + " cannot be used in a forked child");
  check(driver_.device_get(&number_, ordinal), "cuDeviceGet", Status::NoDevice);
  check(driver_.primary_retain(&handle_, number_), "cuDevicePrimaryCtxRetain", Status::NoDevice);
}

PrimaryContext::~PrimaryContext() {
  if (!is_forked_child()) driver_.primary_release(number_);
}

void PrimaryContext::check(Result result, const char* call, Status failure) {
  if (result == success) return;
  const std::string text = id_ + ": " + call + " failed: " + text_of(driver_, result);
  if (is_final(result)) {
    const std::scoped_lock lock(mutex_);
    if (!lost_.exchange(true)) why_lost_ = text;
    throw Error(Status::NoDevice, text);
  }
  throw Error(result == out_of_memory ? Status::AllocFailed : failure, text);
}

void PrimaryContext::require_usable() {
  if (is_forked_child()) throw Error(Status::NoDevice, id_ + " cannot be used in a forked child");
  if (!lost_.load(std::memory_order_relaxed)) return;
  const std::scoped_lock lock(mutex_);
  throw Error(Status::NoDevice, id_ + " was lost: " + why_lost_);
}

Current::Current(PrimaryContext& context) : context_(context) {
  context_.require_usable();
  context_.check(context_.driver_.push_current(context_.handle_), "cuCtxPushCurrent");
}

Current::~Current() {
  ContextHandle popped = nullptr;
  context_.driver_.pop_current(&popped);  // what it may return are errors of earlier launches: the next call says them
}

CurrentForRelease::CurrentForRelease(PrimaryContext& context) noexcept : context_(context), is_current_(false) {
  if (is_forked_child()) return;
  // Twice, since what is not given back is lost for the life of the process, and the call may only be telling of an earlier one.
  for (int attempt = 0; attempt < 2 && !is_current_; ++attempt) is_current_ = context_.driver_.push_current(context_.handle_) == success;
}

CurrentForRelease::~CurrentForRelease() {
  ContextHandle popped = nullptr;
  if (is_current_) context_.driver_.pop_current(&popped);
}

}  // namespace ab::device::cuda
