// SPDX-License-Identifier: MIT
// Triangular substitution and LU factors with partial pivoting on the host. Row-major; each operation rounded by itself, in an order that
// neither blocking nor the number of right sides changes, so the bits are fixed.
#pragma once
#include <concepts>
#include <optional>
#include <vector>

#include "core/types.hpp"

namespace ab::numerics {

template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;

template <class T>
struct TriangularMatrix {  // entry (i, k) is data[i * ld + k]; the other triangle is not read, nor a unit diagonal
  const T* data;
  Index ld;
  Index size;
  Triangle triangle;  // Upper or Lower
  Diagonal diagonal;
};

template <class T>
struct RightSides {  // unknown i of side j is data[i * ld + j]
  T* data;
  Index ld;
  Index count;
};

/// X = T^-1 X by substitution. Backward error: componentwise size * u / (1 - size * u), u of the type. A zero on the diagonal gives Inf or
/// NaN.
template <Real T>
void substitute(const TriangularMatrix<T>& t, const RightSides<T>& x);

/// P A = L U: L (unit diagonal) and U in one square, row i of it from row rows[i] of A.
template <class T>
struct LuFactors {
  Index n = 0;
  std::vector<T> lu;
  std::vector<Index> rows;
};

/// None when a column has no pivot but an exact zero. The first of several largest entries is the pivot.
template <Real T>
std::optional<LuFactors<T>> factor(std::vector<T> a, Index n);

/// X = A^-1 B for n x columns right sides.
template <Real T>
std::vector<T> solve(const LuFactors<T>& factors, const std::vector<T>& b, Index columns);

}  // namespace ab::numerics
