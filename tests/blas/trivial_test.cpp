// SPDX-License-Identifier: MIT
// Quick returns: what is read, what is written, and with which bits (spec 4.4, docs/numerics.md 3.3).
#include "blas/trivial.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace ab::blas {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
const double odd_nan = std::bit_cast<double>(std::uint64_t{0xFFF4000000000123});

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

GemmProblem<double> real_problem(Index m, Index n, Index k, double alpha, double beta, double* c, Index ldc) {
  return {m, n, k, alpha, {nullptr, 1, Op::None}, {nullptr, 1, Op::None}, beta, {c, ldc}};
}

template <Scalar T>
bool finished(const GemmProblem<T>& problem) {
  if (!is_trivial(problem)) return false;
  finish_trivial(problem);
  return true;
}

TEST(Trivial, OnlyCallsThatReadNeitherOperandAreFinished) {
  double c = 7;
  EXPECT_FALSE(is_trivial(real_problem(1, 1, 1, 1, 0, &c, 1)));
  EXPECT_FALSE(is_trivial(real_problem(1, 1, 1, nan, 0, &c, 1)));
  EXPECT_FALSE(is_trivial(real_problem(1, 1, 1, 5e-324, 0, &c, 1)));
  EXPECT_EQ(c, 7);
  EXPECT_TRUE(finished(real_problem(0, 1, 1, 1, 0, nullptr, 1)));
  EXPECT_TRUE(finished(real_problem(1, 0, 1, 1, 0, nullptr, 1)));
  EXPECT_TRUE(finished(real_problem(1, 1, 0, 1, 1, nullptr, 1)));  // beta = 1: C is not touched
  EXPECT_TRUE(finished(real_problem(1, 1, 1, 0, 1, nullptr, 1)));
  EXPECT_TRUE(finished(real_problem(1, 1, 1, -0.0, 1, nullptr, 1)));
}

struct Row {
  double beta, c;
  std::uint64_t result;
};
const Row rows[] = {{2, 3, bits(6)},
                    {0, 3, bits(0.0)},
                    {-0.0, -3, bits(0.0)},
                    {0, nan, bits(0.0)},
                    {0, -inf, bits(0.0)},
                    {2, odd_nan, 0x7FF8000000000000},
                    {nan, 3, 0x7FF8000000000000},
                    {-nan, 3, 0x7FF8000000000000},
                    {inf, 0, 0x7FF8000000000000},
                    {-inf, 2, bits(-inf)},
                    {-1, 0, bits(-0.0)},
                    {0.5, 5e-324, bits(0.0)},
                    {0.5, 1e-310, bits(5e-311)},
                    {1e300, 1e300, bits(inf)}};

TEST(Trivial, RealEntriesBecomeBetaTimesC) {
  for (const Row& row : rows) {
    for (const auto& [alpha, k] : {std::pair<double, Index>{0, 3}, {1, 0}}) {
      double c = row.c;
      EXPECT_TRUE(finished(real_problem(1, 1, k, alpha, row.beta, &c, 1)));
      EXPECT_EQ(bits(c), row.result) << row.beta << " * " << row.c;
    }
  }
}

TEST(Trivial, OnlyTheResultsEntriesAreWritten) {
  constexpr Index m = 3, n = 4, ldc = 5;
  std::vector<double> c(ldc * n);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = i % ldc < m ? static_cast<double>(i) : odd_nan;
  const std::vector<double> before = c;
  EXPECT_TRUE(finished(real_problem(m, n, 0, 1, 2, c.data(), ldc)));
  for (std::size_t i = 0; i < c.size(); ++i) {
    EXPECT_EQ(bits(c[i]), i % ldc < m ? bits(2 * before[i]) : bits(odd_nan)) << i;
  }
}

TEST(Trivial, AnyAlignmentOfFourBytes) {
  alignas(16) std::byte room[64];
  double* c = reinterpret_cast<double*>(room + 4);
  const double three = 3;
  std::memcpy(room + 4, &three, sizeof three);
  EXPECT_TRUE(finished(real_problem(1, 1, 0, 1, 2, c, 1)));
  double result;
  std::memcpy(&result, room + 4, sizeof result);
  EXPECT_EQ(result, 6);
}

Complex scaled(Complex beta, Complex c) {
  EXPECT_TRUE(finished(GemmProblem<Complex>{1, 1, 0, 1, {nullptr, 1, Op::None}, {nullptr, 1, Op::None}, beta, {&c, 1}}));
  return c;
}

TEST(Trivial, ComplexEntries) {
  EXPECT_EQ(scaled({2, 3}, {5, 7}), Complex(2 * 5 - 3 * 7, 2 * 7 + 3 * 5));
  EXPECT_EQ(scaled({0, 0}, {nan, nan}), Complex(0, 0));
  EXPECT_EQ(scaled({1, 0}, {4, 5}), Complex(4, 5));
  const Complex product = scaled({1, 1}, {inf, 0});
  EXPECT_EQ(bits(product.real()), bits(inf));
  EXPECT_EQ(bits(product.imag()), bits(inf));
  // 0 * inf shows in both parts: the product of std::complex would repair them.
  const Complex broken = scaled({2, 0}, {inf, inf});
  EXPECT_EQ(bits(broken.real()), 0x7FF8000000000000u);
  EXPECT_EQ(bits(broken.imag()), 0x7FF8000000000000u);
  // No fused operation: re = 1 - (1 + 2^-52)(1 - 2^-52) rounds to 0, fused it would be 2^-104.
  EXPECT_EQ(scaled({1, 1 + 0x1p-52}, {1, 1 - 0x1p-52}).real(), 1 - (1 + 0x1p-52) * (1 - 0x1p-52));
}

TEST(Trivial, LeavesTheCallersFlagsAndMode) {
  std::feclearexcept(FE_ALL_EXCEPT);
  std::fesetround(FE_UPWARD);
  double c = 1.0 / 3;
  finish_trivial(real_problem(1, 1, 0, 1, 1e-1, &c, 1));
  double overflow = 1e300;
  finish_trivial(real_problem(1, 1, 0, 1, 1e300, &overflow, 1));
  const int mode = std::fegetround();
  const int flags = std::fetestexcept(FE_INVALID | FE_OVERFLOW);
  std::fesetround(FE_TONEAREST);
  volatile double factor = 1e-1;
  EXPECT_EQ(c, (1.0 / 3) * factor);
  EXPECT_EQ(mode, FE_UPWARD);
  EXPECT_EQ(flags, 0);
}

}  // namespace
}  // namespace ab::blas
