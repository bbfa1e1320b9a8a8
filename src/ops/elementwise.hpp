// SPDX-License-Identifier: MIT
// Elementwise IEEE FP64 on device memory. Slices at multiples of 8 bytes; `out` may be `a` or `b`. Computed NaNs are canonical.
#pragma once
#include "ops/context.hpp"

namespace ab::ops {

enum class Elementwise { Add, Subtract, Scale };

/// out = a + b, a - b, or alpha a (b is not read then). alpha = 0 is no shortcut: 0 * Inf is NaN.
struct ElementwiseCall {
  device::Slice a, b, out;
  Index count;
  double alpha = 1;
};
void combine(Context& context, Elementwise operation, const ElementwiseCall& call);
/// The form with separate arguments.
inline void combine(Context& context, Elementwise operation, device::Slice a, device::Slice b, device::Slice out, Index count,
                    double alpha) {
  combine(context, operation, {a, b, out, count, alpha});
}
void fill_zero(Context& context, device::Slice out, Index count);
void copy(Context& context, device::Slice from, device::Slice to, Index count);

}  // namespace ab::ops
