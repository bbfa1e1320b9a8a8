// SPDX-License-Identifier: MIT
// Host operands on a device: in place where the device can read them there, else copied; the result in place where
// launches do not fail half-way, else in a buffer of our own until the product has succeeded.
#pragma once
#include <memory>

#include "core/problem.hpp"
#include "ops/gemm.hpp"
#include "ops/open_device.hpp"

namespace ab::ops {

template <Scalar T>
class Staged {
 public:
  /// Copies A and B (and C when beta is not zero) to where the device reads them. Only referenced elements are touched.
  Staged(Context& context, const GemmProblem<T>& problem, const Choices& choices);
  /// False when even the staged operands and result are over the cap; nothing was copied then.
  bool fits() const { return fits_; }
  const Product& product() const { return product_; }
  /// The caller's choices with what is left of the cap.
  const Choices& choices() const { return choices_; }
  /// Writes C where it is not in place: then the only step that does.
  void fetch();

 private:
  struct Resident {  // one operand on the device
    std::unique_ptr<device::Memory> adopted;
    Lease copied;
    Slice slice;
    Index ld = 0;
  };
  struct Shape {
    Index rows, columns;  // as stored
  };
  Resident stage(const T* data, Shape shape, Index ld);
  void stage_result();
  void tell_what_is_in_place() const;
  /// One stored matrix for both operands, as rank-k products have it?
  static bool shares_memory(const Operand<T>& a, Shape a_shape, const Operand<T>& b, Shape b_shape) {
    return a.data == b.data && a.ld == b.ld && a_shape.rows == b_shape.rows && a_shape.columns == b_shape.columns;
  }

  Context& context_;
  const GemmProblem<T>& problem_;
  Choices choices_;
  bool fits_ = true;
  Resident a_, b_, c_;
  Product product_;
};

}  // namespace ab::ops
