// SPDX-License-Identifier: MIT
// One operand, scanned.
#pragma once
#include "ops/steps.hpp"

namespace ab::ops {

inline Scan scan(Context& context, std::span<const VectorView> views, const InnerOnDevice& inner, HandSide hand) {
  const ToScan operand{{views.begin(), views.end()}, hand};
  return *scan(context, std::span(&operand, 1), inner)[0];
}

}  // namespace ab::ops
