// SPDX-License-Identifier: MIT
// Every level-3 call with operands in host memory, made of products on a device (docs/numerics.md 1.2).
#pragma once
#include "ops/gemm.hpp"

namespace ab::ops {

/// Completes the problem on the context's device: products as they are; symmetric and triangular operands expanded first; rank-2k
/// updates by one product and its mirror image; triangular solves by substitution and products.
/// Error: the bound of the class for every product; docs/numerics.md 1.3 says what that makes of each routine. The report speaks of the
/// products; scheme Ieee without a bound where there was substitution alone.
/// Declines and failures are known before C is written, and then only the entries of its triangle are. Throws Error, std::bad_alloc.
template <Scalar T>
Outcome compute(Context& context, const GemmProblem<T>& problem, const Choices& choices);

}  // namespace ab::ops
