// SPDX-License-Identifier: MIT
// A product's share of AB_STAGING_MB, so that all products of a device together stay under it. Whoever takes one gives it, as the cap, to
// every step of the product; nobody takes a second one meanwhile.
#pragma once
#include <memory>

#include "ops/gemm.hpp"
#include "ops/open_device.hpp"

namespace ab::ops {

/// What buffers take beyond what is asked for (device/buffer_pool.cpp), as a part of the cap.
constexpr Index without_rounding(Index cap_bytes) {
  return cap_bytes - cap_bytes / 9;
}
/// Records, shifts, inner exponents and tables of a product, at most: two looks at both forms.
Index small_buffers(Index vectors, Index inner, int words);

struct Extent {  // of a product; words: of an element, 1 or 2
  Index rows, columns, inner;
  int words;
};

template <Scalar T>
inline constexpr int words_of = sizeof(T) / sizeof(double);
template <Scalar T>
Extent extent_of(const GemmProblem<T>& problem) {
  return {problem.m, problem.n, problem.k, words_of<T>};
}
inline Extent extent_of(const Product& product) {
  return {product.c.rows, product.c.columns, product.left.inner, product.c.part_count};
}

/// Working memory, bytes, as real numbers: extents may be any.
struct Need {
  double all = 0;      // at most, whatever the class, in one piece
  double besides = 0;  // what blocks would not make smaller
};
/// Of a product of operands on the device; `besides` is not the step's to use.
Need need_of(Context& context, const Choices& choices, const Extent& extent);
/// The same, when operands and result may have to be copied there; what takes them counts `besides` itself (ops/staging.cpp).
Need need_with_copies(Context& context, const Choices& choices, const Extent& extent);
/// With buffers of an operation around the product.
Need with_buffers(Need need, double bytes);

class CapShare {
 public:
  /// Waits for products that came before, until there is room. None is taken where the choices name a cap: that is a share already.
  CapShare(Context& context, const Choices& choices, const Need& need);
  CapShare(const CapShare&) = delete;
  CapShare& operator=(const CapShare&) = delete;
  ~CapShare();
  /// The choices of what has the share.
  Choices within(Choices choices) const;

 private:
  std::shared_ptr<device::BufferPool> pool_;  // null: none was taken
  std::uint64_t reserved_bytes_ = 0;
  Index cap_bytes_ = 0;
};

}  // namespace ab::ops
