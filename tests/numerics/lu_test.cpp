// SPDX-License-Identifier: MIT
// Factors and substitution against exact rational arithmetic and the textbook's order of operations.
#include "numerics/lu.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "support/random.hpp"

namespace ab::numerics {
namespace {

using Big = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>>;

template <class T>
std::vector<T> random_values(Index count, std::uint64_t start) {
  test::Random random(start);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(random.uniform());
  return values;
}

// Column by column, one operation after the other: what blocking must not change.
template <class T>
std::vector<T> textbook_factors(std::vector<T> a, std::size_t n, std::vector<Index>& rows) {
  for (std::size_t i = 0; i < n; ++i) rows.push_back(static_cast<Index>(i));
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    }
    std::swap(rows[k], rows[pivot]);
    for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
    for (std::size_t i = k + 1; i < n; ++i) {
      a[i * n + k] /= a[k * n + k];
      for (std::size_t j = k + 1; j < n; ++j) {
        const T product = a[i * n + k] * a[k * n + j];
        a[i * n + j] = a[i * n + j] - product;
      }
    }
  }
  return a;
}

template <class T>
void expect_textbook_bits(Index n) {
  const std::vector<T> a = random_values<T>(n * n, static_cast<std::uint64_t>(n));
  std::vector<Index> rows;
  const std::vector<T> want = textbook_factors(a, static_cast<std::size_t>(n), rows);
  const auto got = factor(a, n);
  ASSERT_TRUE(got) << n;
  EXPECT_EQ(got->rows, rows) << n;
  EXPECT_EQ(got->lu, want) << n;
}

TEST(Lu, BlockingChangesNoBit) {
  for (const Index n : {1, 2, 63, 64, 65, 130, 200}) {
    expect_textbook_bits<float>(n);
    expect_textbook_bits<double>(n);
  }
}

// |b - A x| <= c n u (|A||x| + |L||U| growth): with partial pivoting on random data a few n u max|A| |x| suffice.
TEST(Lu, SolvesWithASmallBackwardError) {
  for (const Index n : {1, 5, 64, 97}) {
    const Index sides = 3;
    const std::vector<double> a = random_values<double>(n * n, 7), b = random_values<double>(n * sides, 8);
    const auto factors = factor(a, n);
    ASSERT_TRUE(factors);
    const std::vector<double> x = solve(*factors, b, sides);
    for (Index k = 0; k < sides; ++k) {
      for (Index i = 0; i < n; ++i) {
        Big residual = b[static_cast<std::size_t>(i * sides + k)], size = 0;
        for (Index j = 0; j < n; ++j) {
          const Big term = Big(a[static_cast<std::size_t>(i * n + j)]) * x[static_cast<std::size_t>(j * sides + k)];
          residual -= term;
          size = std::max(size, abs(Big(x[static_cast<std::size_t>(j * sides + k)])));
        }
        EXPECT_LE(abs(residual), 4.0 * static_cast<double>(n) * 0x1p-53 * (size + 1)) << n << " " << i << " " << k;
      }
    }
  }
}

TEST(Lu, AColumnWithoutPivotIsTold) {
  EXPECT_FALSE(factor<double>({1, 2, 2, 4}, 2));
  EXPECT_FALSE(factor<float>({0, 1, 0, 1}, 2));
  EXPECT_FALSE(factor<double>({0}, 1));
  std::vector<double> late = random_values<double>(100 * 100, 3);
  for (std::size_t j = 0; j < 100; ++j) late[99 * 100 + j] = late[98 * 100 + j];  // two equal rows: beyond the first panel
  EXPECT_FALSE(factor(late, 100));
  EXPECT_TRUE(factor<double>({0, 1, 1, 0}, 2));  // needs its rows exchanged
}

// Substitution by the definition, in plain doubles.
std::vector<double> substituted(const TriangularMatrix<double>& t, std::vector<double> x, Index sides) {
  for (Index step = 0; step < t.size; ++step) {
    const Index i = t.triangle == Triangle::Lower ? step : t.size - 1 - step;
    const Index first = t.triangle == Triangle::Lower ? 0 : i + 1, last = t.triangle == Triangle::Lower ? i : t.size;
    for (Index j = 0; j < sides; ++j) {
      double& value = x[static_cast<std::size_t>(i * sides + j)];
      for (Index k = first; k < last; ++k) {
        const double product = t.data[i * t.ld + k] * x[static_cast<std::size_t>(k * sides + j)];
        value = value - product;
      }
      if (t.diagonal == Diagonal::Stored) value /= t.data[i * t.ld + i];
    }
  }
  return x;
}

TEST(Substitution, IsTheDefinitionBitForBitAndReadsNothingElse) {
  for (const Triangle triangle : {Triangle::Lower, Triangle::Upper}) {
    for (const Diagonal diagonal : {Diagonal::Stored, Diagonal::Unit}) {
      for (const Index n : {1, 2, 7, 64}) {
        std::vector<double> t = random_values<double>(n * (n + 2), 11);
        for (Index i = 0; i < n; ++i) {
          for (Index k = 0; k < n; ++k) {
            const bool outside = triangle == Triangle::Lower ? k > i : k < i;
            if (outside || (k == i && diagonal == Diagonal::Unit)) t[static_cast<std::size_t>(i * (n + 2) + k)] = std::nan("");
          }
        }
        const Index sides = n == 7 ? 1100 : 5;  // more than one block of right sides
        const TriangularMatrix<double> matrix = {t.data(), n + 2, n, triangle, diagonal};
        std::vector<double> x = random_values<double>(n * sides, 12);
        const std::vector<double> want = substituted(matrix, x, sides);
        substitute(matrix, RightSides<double>{x.data(), sides, sides});
        EXPECT_EQ(x, want) << n;
      }
    }
  }
}

}  // namespace
}  // namespace ab::numerics
