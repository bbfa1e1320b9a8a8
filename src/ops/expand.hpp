// SPDX-License-Identifier: MIT
// Symmetric, Hermitian and triangular operands as whole matrices on the host.
#pragma once
#include <memory>

#include "core/problem.hpp"

namespace ab::ops {

/// The size x size matrix that the operand stands for, before its op; column-major and packed. Only the stored triangle is read, and not
/// the diagonal of UnitTriangular. Hermitian: imaginary parts of the diagonal are +0.
template <Scalar T>
std::unique_ptr<T[]> expand(const Operand<T>& operand, Index size);

}  // namespace ab::ops
