// SPDX-License-Identifier: MIT
// One BLAS call as the tests describe it, with its operands in host arrays, and its vectors as words.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "support/word.hpp"

namespace ab::test {

enum class Kind { Gemm, Syrk, Herk };
enum class Type { Real, Complex };

/// C = alpha op(A) op(B) + beta C; syrk, herk: op(A) op(A)^T or ^H, n = m, the named triangle only, op given by `transa`.
/// Arrays are column-major with leading dimensions; complex entries are two doubles.
struct Call {
  std::string name;
  Kind kind = Kind::Gemm;
  Type type = Type::Real;
  Op transa = Op::None, transb = Op::None;
  Triangle triangle = Triangle::Full;
  Index m = 0, n = 0, k = 0;
  std::vector<double> a;
  Index lda = 1;
  std::vector<double> b;
  Index ldb = 1;
  std::vector<double> c;
  Index ldc = 1;
  Complex alpha{1, 0}, beta{0, 0};

  int parts() const { return type == Type::Complex ? 2 : 1; }
  bool stores(Index i, Index j) const { return triangle == Triangle::Full || (triangle == Triangle::Upper ? i <= j : i >= j); }
  /// Where entry (i, j) of C begins in `c`.
  std::size_t at(Index i, Index j) const { return static_cast<std::size_t>((j * ldc + i) * parts()); }
};

/// Vectors of one operand: the words of vector v, part p are consecutive.
struct Vectors {
  int parts = 1;
  Index count = 0, inner = 0;
  std::vector<Word> words;

  const Word* part(Index v, int p) const { return words.data() + (v * parts + p) * inner; }
  Word* part(Index v, int p) { return words.data() + (v * parts + p) * inner; }
};

Vectors left_vectors(const Call& call);   // rows of op(A)
Vectors right_vectors(const Call& call);  // columns of op(B)
/// The real vectors of the split form (8.7): all real parts, then all imaginary parts.
Vectors split_parts(const Vectors& vectors);
/// Whether every word of vector v is finite.
bool is_finite(const Vectors& vectors, Index v);

}  // namespace ab::test
