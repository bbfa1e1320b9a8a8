// SPDX-License-Identifier: MIT
// Operands of special form as whole matrices, in sizes around the tiles they are mirrored in.
#include "ops/expand.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ab::ops {
namespace {

template <Scalar T>
T value(Index i, Index j);
template <>
double value(Index i, Index j) {
  return static_cast<double>(100 * i + j + 1);
}
template <>
Complex value(Index i, Index j) {
  return {static_cast<double>(100 * i + j + 1), static_cast<double>(7 * i - j)};
}

bool is_stored(Triangle triangle, Index i, Index j) {
  return triangle == Triangle::Upper ? i <= j : i >= j;
}

template <Scalar T>
T expected(Form form, Triangle stored, Index i, Index j) {
  const auto conjugate = [](T x) {
    if constexpr (std::same_as<T, double>)
      return x;
    else
      return std::conj(x);
  };
  if (form == Form::UnitTriangular && i == j) return T(1);
  if (is_triangular(form)) return is_stored(stored, i, j) ? value<T>(i, j) : T(0);
  if (i == j) return form == Form::Hermitian ? T(std::real(value<T>(i, i))) : value<T>(i, i);
  if (is_stored(stored, i, j)) return value<T>(i, j);
  return form == Form::Hermitian ? conjugate(value<T>(j, i)) : value<T>(j, i);
}

template <Scalar T>
void expect_whole(Form form, Triangle stored, Index size) {
  const Index ld = size + 2;
  std::vector<T> x(static_cast<std::size_t>(ld * size), T(NAN));
  for (Index j = 0; j < size; ++j) {
    for (Index i = 0; i < size; ++i) {
      if (is_stored(stored, i, j) && !(form == Form::UnitTriangular && i == j)) x[static_cast<std::size_t>(i + j * ld)] = value<T>(i, j);
    }
  }
  const std::unique_ptr<T[]> full = expand(Operand<T>{x.data(), ld, Op::None, form, stored}, size);
  for (Index j = 0; j < size; ++j) {
    for (Index i = 0; i < size; ++i) {
      ASSERT_EQ(full[static_cast<std::size_t>(i + j * size)], expected<T>(form, stored, i, j)) << size << ": " << i << ", " << j;
    }
  }
}

TEST(Expand, EveryFormAndTriangle) {
  for (const Index size : {1, 2, 31, 32, 33, 70}) {
    for (const Form form : {Form::Symmetric, Form::Hermitian, Form::Triangular, Form::UnitTriangular}) {
      for (const Triangle stored : {Triangle::Upper, Triangle::Lower}) {
        expect_whole<double>(form, stored, size);
        expect_whole<Complex>(form, stored, size);
      }
    }
  }
}

}  // namespace
}  // namespace ab::ops
