// SPDX-License-Identifier: MIT
// Doubles in device memory, for operations that work in place.
#pragma once
#include <vector>

#include "ops/open_device.hpp"
#include "support/random.hpp"

namespace ab::test {

using Values = std::vector<double>;

class Array {
 public:
  Array(ops::Context& context, const Values& values)
      : context_(context), count_(values.size()), memory_(context.device().allocate(count_ * sizeof(double))) {
    context.queue().write(*memory_, 0, std::as_bytes(std::span(values)));
  }
  device::Slice slice() const { return {memory_.get(), 0}; }
  Values values() const {
    Values out(count_);
    context_.queue().read(*memory_, 0, std::as_writable_bytes(std::span(out)));
    return out;
  }

 private:
  ops::Context& context_;
  std::size_t count_;
  std::unique_ptr<device::Memory> memory_;
};

inline Values random_values(Index count, std::uint64_t start) {
  Random random(start);
  Values values(static_cast<std::size_t>(count));
  for (double& value : values) value = random.uniform();
  return values;
}

/// Numbers that no other contents in the test program have had.
inline std::uint64_t fresh_contents() {
  static std::uint64_t last = std::uint64_t{1} << 40;
  return ++last;
}

}  // namespace ab::test
