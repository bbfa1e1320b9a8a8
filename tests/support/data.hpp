// SPDX-License-Identifier: MIT
// Adversarial test data: the families of docs/numerics.md 13.1, real and complex, as whole calls; the same numbers as the
// Python reference draws from the same start.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "support/call.hpp"
#include "support/random.hpp"

namespace ab::test {

inline constexpr std::array<std::string_view, 22> data_families = {
    "uniform", "normal", "tails",     "wide",      "integers", "small",    "float32", "powers",   "checkerboard", "opposed", "aligned",
    "scaled",  "cancel", "subnormal", "underflow", "huge",     "overflow", "zeros",   "identity", "triangle",     "outlier", "one-sided"};

/// op(A) m x k and op(B) k x n as they enter the product, row by row; complex entries are two doubles.
struct Matrices {
  Index m = 0, n = 0, k = 0;
  int parts = 1;
  std::vector<double> a, b;
  double& at_a(Index i, Index l, int p = 0) { return a[static_cast<std::size_t>((i * k + l) * parts + p)]; }
  double& at_b(Index l, Index j, int p = 0) { return b[static_cast<std::size_t>((l * n + j) * parts + p)]; }
};

struct Shape {
  Index m, n, k;
};
Matrices matrices(std::string_view family, const Shape& shape, Type type, Random& random);

/// Imaginary parts of a side times 2^shift; none: zero.
using Tilt = std::optional<int>;
void tilt(Matrices& x, Tilt left, Tilt right);

struct Recipe {
  std::string_view family = "uniform";
  Shape shape{1, 1, 1};
  Type type = Type::Real;
  Op transa = Op::None, transb = Op::None;
  Kind kind = Kind::Gemm;  // syrk, herk: n is m, transa is the call's trans
  Triangle triangle = Triangle::Full;
  Complex alpha{1, 0}, beta{0, 0};
  Index padding = 0;                    // added to every leading dimension, filled with a signalling NaN
  std::function<void(Matrices&)> edit;  // after drawing
};
/// Draws A, B, then C.
Call make_call(const Recipe& recipe, Random& random);

}  // namespace ab::test
