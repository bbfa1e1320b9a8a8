// SPDX-License-Identifier: MIT
// Powers of two that bring a square matrix near 1, so that single precision can hold it, and right sides into the range of FP64.
// Applied without rounding except where an entry falls far below the largest of its row and column, or of its side.
#pragma once
#include <vector>

#include "core/types.hpp"

namespace ab::numerics {

/// A'(i, j) = A(i, j) 2^-(rows[i] + columns[j]), B'(i, k) = B(i, k) 2^-(rows[i] + sides[k]), X(j, k) = X'(j, k) 2^(sides[k] - columns[j]).
/// The largest entry of each row and of each column of A' is in [1/2, 1). A side is scaled only as far as its largest entry would exceed
/// 2^1000, or its smallest fall below 2^-1000. Where there is nothing finite but zeros the exponent is 0; with a NaN or Inf anywhere in A
/// all exponents of rows and columns are 0.
struct Equilibration {
  std::vector<int> rows, columns, sides;
  bool finite = true;  // all of A and B
};

Equilibration equilibrate(const std::vector<double>& a, const std::vector<double>& b, Index n, Index sides);
std::vector<double> scaled_matrix(const Equilibration& scale, const std::vector<double>& a);
std::vector<double> scaled_sides(const Equilibration& scale, const std::vector<double>& b);
/// X of the system as it was given; in place.
void unscale(const Equilibration& scale, std::vector<double>& x);

}  // namespace ab::numerics
