// SPDX-License-Identifier: MIT
// Interleaved complex vectors in device memory, elementwise: IEEE FP64, each operation rounded by itself. Computed NaNs are canonical.
#pragma once
#include "ops/context.hpp"

namespace ab::ops {

/// Element i has its real part at word 2 * i * increment behind `first`, its imaginary part beside it. The increment may be negative or 0.
struct ComplexVector {
  device::Slice first;
  Index increment = 1;
};

void conjugate(Context& context, const ComplexVector& x, Index count);
/// x = alpha x, with no shortcut for any alpha: 0 * Inf is NaN.
void scale(Context& context, Complex alpha, const ComplexVector& x, Index count);
/// y = y + alpha x. With y.increment 0 one element after the other is added to the same place.
void add_scaled(Context& context, Complex alpha, const ComplexVector& x, const ComplexVector& y, Index count);

}  // namespace ab::ops
