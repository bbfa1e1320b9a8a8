// SPDX-License-Identifier: MIT
// Substitution bit for bit: the order of operations written out for one right side, in every shape, real and complex.
#include "numerics/substitution.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "support/random.hpp"

namespace ab::numerics {
namespace {

void draw(double& x, test::Random& random) {
  x = random.uniform();
}
void draw(Complex& x, test::Random& random) {
  const double re = random.uniform(), im = random.uniform();
  x = {re, im};
}

double step(double t, double factor, double x) {
  return std::fma(-factor, x, t);
}
Complex step(Complex t, Complex f, Complex x) {
  return {std::fma(f.imag(), x.imag(), std::fma(-f.real(), x.real(), t.real())),
          std::fma(-f.imag(), x.real(), std::fma(-f.real(), x.imag(), t.imag()))};
}
double quotient(double x, double pivot) {
  return x / pivot;
}
Complex quotient(Complex x, Complex p) {
  const double a = x.real(), b = x.imag(), c = p.real(), d = p.imag();
  if (std::abs(c) >= std::abs(d)) {
    volatile double dr = d * (d / c), br = b * (d / c), ar = a * (d / c);
    return {(a + br) / (c + dr), (b - ar) / (c + dr)};
  }
  volatile double cr = c * (c / d), ar = a * (c / d), br = b * (c / d);
  return {(ar + b) / (cr + d), (br - a) / (cr + d)};
}

template <class T>
void expect_order_of_operations(Index size, Triangle triangle, Diagonal diagonal) {
  constexpr Index sides = 3, ld = 70;
  test::Random random(static_cast<std::uint64_t>(size));
  std::vector<T> t(static_cast<std::size_t>(size * ld)), x(static_cast<std::size_t>(size * sides));
  for (T& entry : t) draw(entry, random);
  for (T& entry : x) draw(entry, random);
  for (Index i = 0; i < size; ++i) {
    for (Index k = 0; k < size; ++k) {
      const bool outside = triangle == Triangle::Lower ? k > i : k < i;
      if (outside || (i == k && diagonal == Diagonal::Unit)) t[static_cast<std::size_t>(i * ld + k)] = T(NAN);
    }
  }
  std::vector<T> want = x;
  for (Index side = 0; side < sides; ++side) {
    std::vector<Index> solved;
    for (Index count = 0; count < size; ++count) {
      const Index i = triangle == Triangle::Lower ? count : size - 1 - count;
      T value = want[static_cast<std::size_t>(i * sides + side)];
      for (const Index k : solved)
        value = step(value, t[static_cast<std::size_t>(i * ld + k)], want[static_cast<std::size_t>(k * sides + side)]);
      if (diagonal == Diagonal::Stored) value = quotient(value, t[static_cast<std::size_t>(i * ld + i)]);
      want[static_cast<std::size_t>(i * sides + side)] = value;
      solved.push_back(i);
    }
  }
  substitute_fused(TriangularMatrix<T>{t.data(), ld, size, triangle, diagonal}, RightSides<T>{x.data(), sides, sides});
  EXPECT_EQ(x, want) << size;
}

TEST(Substitution, HasTheDocumentedOrderOfOperations) {
  for (const Index size : {1, 2, 17, 64}) {
    for (const Triangle triangle : {Triangle::Lower, Triangle::Upper}) {
      for (const Diagonal diagonal : {Diagonal::Stored, Diagonal::Unit}) {
        expect_order_of_operations<double>(size, triangle, diagonal);
        expect_order_of_operations<Complex>(size, triangle, diagonal);
      }
    }
  }
}

TEST(Substitution, TheNumberOfRightSidesChangesNoBit) {
  constexpr Index size = 20, sides = 1100;
  test::Random random(5);
  std::vector<double> t(size * size), x(static_cast<std::size_t>(size * sides)), one(size);
  for (double& entry : t) entry = random.uniform();
  for (double& entry : x) entry = random.uniform();
  for (const Index side : {Index{0}, Index{511}, Index{512}, sides - 1}) {
    std::vector<double> all = x;
    for (Index i = 0; i < size; ++i) one[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(i * sides + side)];
    const TriangularMatrix<double> matrix{t.data(), size, size, Triangle::Upper, Diagonal::Stored};
    substitute_fused(matrix, RightSides<double>{all.data(), sides, sides});
    substitute_fused(matrix, RightSides<double>{one.data(), 1, 1});
    for (Index i = 0; i < size; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i * sides + side)], one[static_cast<std::size_t>(i)]);
  }
}

TEST(Substitution, NansAreTheOneOfTheLibrary) {
  double x[2] = {std::bit_cast<double>(std::uint64_t{0xFFF8000000000123}), 0};
  const double t[4] = {1, 0, 0, 0};
  substitute_fused(TriangularMatrix<double>{t, 2, 2, Triangle::Lower, Diagonal::Stored}, RightSides<double>{x, 1, 1});
  EXPECT_EQ(std::bit_cast<std::uint64_t>(x[0]), 0x7FF8000000000000u);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(x[1]), 0x7FF8000000000000u);
}

}  // namespace
}  // namespace ab::numerics
