// SPDX-License-Identifier: MIT
// Start-up check of whole products on a device: stored golden cases, every class, every moduli family (docs/numerics.md 12.2, 10, 11).
#pragma once
#include <string>

namespace ab::ops {

class Context;

/// The first wrong product in one line, or "".
std::string test_products(Context& context);

}  // namespace ab::ops
