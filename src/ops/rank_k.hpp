// SPDX-License-Identifier: MIT
// Products of a matrix with its own transpose: half of the result is computed, and for Hermitian ones the other half mirrored.
#pragma once
#include "ops/gemm.hpp"

namespace ab::ops {

/// As `multiply` for a product whose right vectors are the left ones conjugated (alpha real, beta 0): entries below the diagonal are
/// exactly the conjugates of those above it, and the diagonal's imaginary part is +0. All of C is written, last, when success is known.
Outcome multiply_hermitian(Context& context, const Product& product, const Choices& choices);

}  // namespace ab::ops
