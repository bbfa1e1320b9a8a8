// SPDX-License-Identifier: MIT
// Ranges of host memory that products may read in place (spec 5.3). Registering opens no device; a device takes a range at its first use.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "device/device.hpp"

namespace ab::ops {

class Context;
struct RegisteredRange;

/// Throws Error(InvalidArgument): null, no bytes, or bytes of a range that is registered.
void register_host_memory(void* base, std::size_t bytes);
/// Waits for the products that use the range. Throws Error(InvalidArgument) for a base that is not registered.
void unregister_host_memory(void* base);

/// Whether anything is registered: without a lock, for the way of every call.
bool any_registered() noexcept;

/// A span of a registered range, which stays registered as long as this lives.
class RegisteredSpan {
 public:
  RegisteredSpan(RegisteredRange& range, std::size_t offset) : range_(&range), offset_(offset) {}
  RegisteredSpan(RegisteredSpan&& other) noexcept : range_(other.range_), offset_(other.offset_) { other.range_ = nullptr; }
  RegisteredSpan& operator=(RegisteredSpan&& other) noexcept {
    std::swap(range_, other.range_);
    offset_ = other.offset_;
    return *this;
  }
  ~RegisteredSpan();
  /// Where the device reads the span, which begins at a multiple of 8 bytes; no memory when it cannot.
  device::Slice place(Context& context) const;

 private:
  RegisteredRange* range_;
  std::size_t offset_;
};
/// None when no single range holds all of it.
std::optional<RegisteredSpan> find_registered(std::span<const std::byte> span);

/// What a context has taken of ranges is given back: it closes.
void release_registered(const Context& context) noexcept;

}  // namespace ab::ops
