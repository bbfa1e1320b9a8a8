// SPDX-License-Identifier: MIT
// One GEMM call: the struct that travels from dgemm_ to the kernel launch.
#pragma once
#include "core/types.hpp"

namespace ab {

template <class T>
struct Operand {  // op(X), column-major, in host memory; any alignment
  const T* data;
  Index ld;
  Op op;
};

template <class T>
struct Result {
  T* data;
  Index ld;
};

/// C = alpha op(A) op(B) + beta C; op(A) m x k, op(B) k x n, C m x n.
template <Scalar T>
struct GemmProblem {
  Index m, n, k;
  T alpha;
  Operand<T> a, b;
  T beta;
  Result<T> c;
};

}  // namespace ab
