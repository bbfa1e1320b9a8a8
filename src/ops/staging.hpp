// SPDX-License-Identifier: MIT
// Host operands on a device: in place where the device can read them there, else copied, whole or block by block as the cap allows; the
// result in place where launches do not fail half-way, else apart until the product has succeeded.
#pragma once
#include <memory>

#include "core/problem.hpp"
#include "ops/gemm.hpp"
#include "ops/host_memory.hpp"
#include "ops/open_device.hpp"

namespace ab::ops {

enum class ResultPlace { Best, Apart };  // Apart: C is written by `fetch` alone, even where it could be used in place

template <Scalar T>
class Staged {
 public:
  /// Copies A and B (and C when beta is not zero) to where the device reads them, if the cap leaves enough for the product then;
  /// else they are views of host memory, which steps fetch blocks of. Only referenced elements are touched.
  Staged(Context& context, const GemmProblem<T>& problem, const Choices& choices, ResultPlace place = ResultPlace::Best);
  Staged(const Staged&) = delete;
  Staged& operator=(const Staged&) = delete;
  ~Staged();
  const Product& product() const { return product_; }
  /// The caller's choices with what is left of the cap.
  const Choices& choices() const { return choices_; }
  /// Brings the result to the host, but not yet to C, which is left alone unless it is in place.
  void collect();
  /// Collects, and writes C where it is not in place: then the only step that does.
  void fetch();

 private:
  struct Shape {
    Index rows, columns;  // as stored
  };
  struct Resident {  // one operand on the device
    Shape shape;
    HostMatrix host;
    std::unique_ptr<device::Memory> adopted;
    std::optional<RegisteredSpan> registered;
    Lease copied;
    Slice slice;
    Index ld;

    Index bytes() const { return shape.rows * shape.columns * host.words * static_cast<Index>(sizeof(double)); }
    bool in_place() const { return slice.memory != nullptr && !copied; }
  };
  enum class Copies { Whole, Blocks };

  Resident resident(const T* data, Shape shape, Index ld) const;
  void use_in_place(Resident& operand);
  Copies choose_copies(std::initializer_list<const Resident*> needed);
  void copy_whole(Resident& operand);
  void copy_whole_operand(Resident& operand, Copies copies);
  void place_result(Copies copies, ResultPlace place);
  void view_blocks_of_operands();
  void tell_what_is_in_place() const;
  /// One stored matrix for both operands, as rank-k products have it?
  static bool shares_memory(const Operand<T>& a, Shape a_shape, const Operand<T>& b, Shape b_shape) {
    return a.data == b.data && a.ld == b.ld && a_shape.rows == b_shape.rows && a_shape.columns == b_shape.columns;
  }

  Context& context_;
  const GemmProblem<T>& problem_;
  Choices choices_;
  Resident a_, b_, c_;
  std::unique_ptr<std::byte[]> values_;  // of C, its columns close together, where blocks of the result go
  Product product_;
};

}  // namespace ab::ops
