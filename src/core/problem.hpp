// SPDX-License-Identifier: MIT
// One level-3 call: the struct that travels from dgemm_ to the kernel launch. All routines but TRSM and the rank-2k updates are GEMM
// with operands of a special form, or a result of which one triangle exists.
#pragma once
#include "core/types.hpp"

namespace ab {

/// What a stored matrix stands for. All but General are square, and only their stored triangle is read: the rest is its mirror image
/// (Hermitian: conjugated, the diagonal real) or zero (UnitTriangular: the diagonal, which is not read either, is one).
enum class Form : std::uint8_t { General, Symmetric, Hermitian, Triangular, UnitTriangular };

template <class T>
struct Operand {  // op(X), column-major, in host memory; any alignment
  const T* data;
  Index ld;
  Op op;
  Form form = Form::General;
  Triangle stored = Triangle::Full;
};

template <class T>
struct Result {
  T* data;
  Index ld;
};

enum class Operation : std::uint8_t {
  Product,  // C = alpha op(A) op(B) + beta C; TRMM: C is B (or A) itself
  RankTwo,  // C = U + U' + beta C with U = alpha op(A) op(B); U' its transpose, or conjugate transpose where C is Hermitian
  Solve     // op(A) X = alpha C (or X op(B) = alpha C) with the triangular one of A and B; X takes the place of C
};

/// op(A) m x k, op(B) k x n, C m x n. Of C, only the triangle is read and written.
template <Scalar T>
struct GemmProblem {
  Index m, n, k;
  T alpha;
  Operand<T> a, b;
  T beta;
  Result<T> c;
  Triangle triangle = Triangle::Full;
  bool hermitian = false;  // alpha (but for RankTwo) and beta are real, the diagonal's imaginary part becomes +0
  Operation operation = Operation::Product;
};

/// Products of one shape and one alpha and beta: a group of a batch. Matrices lie where arrays of pointers say, or at fixed distances.
template <Scalar T>
struct GemmBatch {
  GemmProblem<T> first;  // with arrays, its data are not used
  Index count;
  const T* const* a = nullptr;
  const T* const* b = nullptr;
  T* const* c = nullptr;
  Index stride_a = 0, stride_b = 0, stride_c = 0;

  GemmProblem<T> product(Index i) const {
    GemmProblem<T> out = first;
    out.a.data = a != nullptr ? a[i] : first.a.data + i * stride_a;
    out.b.data = b != nullptr ? b[i] : first.b.data + i * stride_b;
    out.c.data = c != nullptr ? c[i] : first.c.data + i * stride_c;
    return out;
  }
};

/// Rows first to last - 1 of a column are in the triangle.
struct RowRange {
  Index first, last;
};
constexpr RowRange rows_in(Triangle triangle, Index column, Index rows) {
  if (triangle == Triangle::Upper) return {0, column + 1 < rows ? column + 1 : rows};
  if (triangle == Triangle::Lower) return {column < rows ? column : rows, rows};
  return {0, rows};
}

constexpr Triangle flipped(Triangle triangle) {
  return triangle == Triangle::Upper ? Triangle::Lower : triangle == Triangle::Lower ? Triangle::Upper : Triangle::Full;
}

constexpr bool is_triangular(Form form) {
  return form == Form::Triangular || form == Form::UnitTriangular;
}

}  // namespace ab
