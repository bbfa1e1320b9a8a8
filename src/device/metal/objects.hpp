// SPDX-License-Identifier: MIT
// Objects of Objective-C held by C++: counted by hand, since reference counting by the compiler exists on Apple's systems only.
#pragma once
#include <utility>

struct objc_object;
typedef struct objc_object* id;  // as the Objective-C headers say it

namespace ab::device::metal {

/// Owns one count of an object, or nothing.
class Owned {
 public:
  Owned() = default;
  /// Takes over a count that the caller has: what alloc, new... and copy... return.
  static Owned taking(id object) { return Owned(object); }
  /// Adds a count of its own: for what belongs to an autorelease pool.
  static Owned sharing(id object);
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned();
  id get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Forgets the object without giving its count back: in a forked child, whose copy of the driver is dead.
  void abandon() { object_ = nullptr; }

 private:
  explicit Owned(id object) : object_(object) {}
  id object_ = nullptr;
};

/// Everything that Metal returns on loan until the end of a block: each call into the backend has one, since the threads are the
/// program's own. Unlike @autoreleasepool it ends when an exception passes.
class AutoreleasePool {
 public:
  AutoreleasePool();
  AutoreleasePool(const AutoreleasePool&) = delete;
  AutoreleasePool& operator=(const AutoreleasePool&) = delete;
  ~AutoreleasePool();

 private:
  id pool_;
};

}  // namespace ab::device::metal
