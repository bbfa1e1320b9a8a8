// SPDX-License-Identifier: MIT
// A scan, launched and read.
#pragma once
#include "ops/steps.hpp"

namespace ab::ops {

inline Scan scan(Context& context, std::span<const VectorView> views, const InnerOnDevice& inner, HandSide hand) {
  Scan out = launch_scan(context, views, inner, hand);
  read_scan(context, out);
  return out;
}

}  // namespace ab::ops
