// SPDX-License-Identifier: MIT
// Linear systems: exact residuals over condition numbers, ranges and classes; refinement and the FP64 factors both seen; singular ones.
#include "ops/solve.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "array.hpp"
#include "core/error.hpp"
#include "device/registry.hpp"
#include "support/faulty_device.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

using Big = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>>;

// Rows, or columns, mirrored at a random direction: a multiplication by an orthogonal matrix.
void reflect(Values& a, Index n, std::uint64_t start, bool rows) {
  const Values v = random_values(n, start);
  double norm = 0;
  for (const double value : v) norm += value * value;
  for (Index j = 0; j < n; ++j) {
    const auto place = [&](Index i) { return static_cast<std::size_t>(rows ? i * n + j : j * n + i); };
    double dot = 0;
    for (Index i = 0; i < n; ++i) dot += v[static_cast<std::size_t>(i)] * a[place(i)];
    for (Index i = 0; i < n; ++i) a[place(i)] -= 2 * dot / norm * v[static_cast<std::size_t>(i)];
  }
}

// Singular values from 1 down to 1 / condition.
Values matrix_of_condition(Index n, double condition) {
  Values a(static_cast<std::size_t>(n * n), 0.0);
  for (Index i = 0; i < n; ++i) {
    a[static_cast<std::size_t>(i * (n + 1))] = std::pow(condition, -static_cast<double>(i) / static_cast<double>(n > 1 ? n - 1 : 1));
  }
  for (std::uint64_t pass = 0; pass < 4; ++pass) {
    reflect(a, n, 100 + pass, true);
    reflect(a, n, 200 + pass, false);
  }
  return a;
}

struct Solved {
  ops::SeriesOutcome outcome;
  Values x;
};

std::vector<Word> words_of(const Values& values) {
  std::vector<Word> words;
  for (const double value : values) words.push_back(word_of(value));
  return words;
}

Solved solve(ops::Context& context, const Values& a, const Values& b, Index n, Precision precision = Precision::Fp64) {
  const Array a_array(context, a), b_array(context, b);
  const auto sides = static_cast<Index>(b.size()) / n;
  Solved solved{ops::solve_linear(context, {a_array.slice(), b_array.slice(), n, sides, fresh_contents()}, precision), b_array.values()};
  EXPECT_EQ(words_of(a_array.values()), words_of(a));
  return solved;
}

// Largest max|b - A x| / (|A|_inf max|x|) of all sides, in units of 2^-53.
double backward_error(const Values& a, const Values& b, const Values& x, Index n) {
  const auto sides = static_cast<Index>(b.size()) / n;
  Big norm = 0;
  double worst = 0;
  for (Index i = 0; i < n; ++i) {
    Big sum = 0;
    for (Index j = 0; j < n; ++j) sum += abs(Big(a[static_cast<std::size_t>(i * n + j)]));
    norm = std::max(norm, sum);
  }
  for (Index k = 0; k < sides; ++k) {
    Big residual = 0, size = 0;
    for (Index i = 0; i < n; ++i) {
      Big sum = b[static_cast<std::size_t>(i * sides + k)];
      for (Index j = 0; j < n; ++j) sum -= Big(a[static_cast<std::size_t>(i * n + j)]) * x[static_cast<std::size_t>(j * sides + k)];
      residual = std::max(residual, Big(abs(sum)));
      size = std::max(size, abs(Big(x[static_cast<std::size_t>(i * sides + k)])));
    }
    if (residual == 0) continue;
    const double error = static_cast<double>(Big(residual / (norm * size))) * 0x1p53;
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

bool refined(const Solved& solved) {
  return solved.outcome.done.report.fallback_reason == Reason::None;
}

// Measured here once: FP64 LU with partial pivoting stays below n u on such matrices.
double fp64_level(Index n) {
  return 2.0 * std::sqrt(static_cast<double>(n)) + static_cast<double>(n);
}

TEST(SolveLinear, ReachesFp64LevelWhateverTheCondition) {
  ops::Context& context = context_of();
  constexpr Index n = 60, sides = 3;
  for (const double condition : {1e0, 1e2, 1e4, 1e6, 1e8, 1e10, 1e12, 1e14}) {
    const Values a = matrix_of_condition(n, condition), b = random_values(n * sides, 5);
    const Solved solved = solve(context, a, b, n);
    EXPECT_LE(backward_error(a, b, solved.x, n), fp64_level(n)) << condition;
    if (condition <= 1e4) {
      EXPECT_TRUE(refined(solved)) << condition;
      EXPECT_GE(solved.outcome.done.products, 2) << condition;
      EXPECT_GT(solved.outcome.done.report.bound, 0) << condition;
      EXPECT_LE(backward_error(a, b, solved.x, n), std::sqrt(static_cast<double>(n)) * 2 + 2) << condition;
    }
    if (condition >= 1e10) {
      EXPECT_FALSE(refined(solved)) << condition;
    }
  }
}

TEST(SolveLinear, WhatDoesNotConvergeIsReportedAsWhatItIs) {
  const Solved solved = solve(context_of(), matrix_of_condition(40, 1e13), random_values(40, 6), 40);
  const ProductReport& report = solved.outcome.done.report;
  EXPECT_EQ(report.fallback_reason, Reason::NotConverged);
  EXPECT_EQ(report.scheme, Scheme::Ieee);
  EXPECT_EQ(report.engine, Engine::Host);
  EXPECT_EQ(report.device, -1);
  EXPECT_EQ(report.bound, -1);
  EXPECT_EQ(report.guard, -1);
}

TEST(SolveLinear, EverySizeAndManyBitsOfTheAnswer) {
  ops::Context& context = context_of();
  for (const Index n : {1, 2, 3, 63, 65, 130}) {
    Values a = random_values(n * n, 31), x(static_cast<std::size_t>(n)), b(static_cast<std::size_t>(n), 0.0);
    for (Index i = 0; i < n; ++i) a[static_cast<std::size_t>(i * (n + 1))] += static_cast<double>(n);
    for (Index i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<double>(i % 7 - 3);
    for (Index i = 0; i < n; ++i) {
      Big sum = 0;
      for (Index j = 0; j < n; ++j) sum += Big(a[static_cast<std::size_t>(i * n + j)]) * x[static_cast<std::size_t>(j)];
      b[static_cast<std::size_t>(i)] = static_cast<double>(sum);
    }
    const Solved solved = solve(context, a, b, n);
    EXPECT_TRUE(refined(solved)) << n;
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(solved.x[i], x[i], 1e-13) << n;
  }
}

// Rows, columns and right sides times powers of two, up to where FP64 ends: the same solution, scaled.
TEST(SolveLinear, ExtremesOfRangeAreScaledAway) {
  ops::Context& context = context_of();
  constexpr Index n = 12;
  Values a = random_values(n * n, 41), b = random_values(n * 2, 42);
  for (double& value : a) value += value < 0 ? -0.25 : 0.25;  // no entry gets lost
  const Solved plain = solve(context, a, b, n);
  ASSERT_TRUE(refined(plain));
  for (const int by : {1000, -1000, 700, -700}) {
    Values scaled = a, sides = b;
    for (std::size_t at = 0; at < scaled.size(); ++at) {
      scaled[at] = std::ldexp(a[at], (at / n % 2 == 0 ? by : -by / 2) - (at % n == 3 ? by / 4 : 0));
    }
    for (std::size_t at = 0; at < sides.size(); ++at) sides[at] = std::ldexp(b[at], at / 2 % 2 == 0 ? by : -by / 2);
    const Solved got = solve(context, scaled, sides, n);
    EXPECT_TRUE(refined(got)) << by;
    for (std::size_t at = 0; at < sides.size(); ++at) {
      const double want = std::ldexp(plain.x[at], at / 2 == 3 ? by / 4 : 0);
      EXPECT_NEAR(got.x[at], want, std::abs(want) * 1e-12) << by << " " << at;
    }
  }
  const Solved apart = solve(context, {1e300, 0, 0, 1e-300}, {1e300, 1e300, 1e-300, 2e-300}, 2);  // each row has a range of its own
  const Values ones = {1, 1, 1, 2};
  for (std::size_t at = 0; at < 4; ++at) EXPECT_NEAR(apart.x[at], ones[at], 1e-15);
  EXPECT_EQ(solve(context, {1, 0, 0, 1}, {1e300, 1e-300}, 2).x, (Values{1e300, 1e-300}));
  const Values tiny = {1e-300, 2e-300, 3e-300, -1e-300}, huge = {1e300, -2e300};
  const Solved overflowing = solve(context, tiny, huge, 2);  // 1e600 is Inf
  EXPECT_TRUE(std::isinf(overflowing.x[0]) && std::isinf(overflowing.x[1]));
}

// Scaling rounds what lies far below the largest of its row and column; here it is a pivot.
TEST(SolveLinear, PivotsThatScalingWouldLoseAreKept) {
  ops::Context& context = context_of();
  constexpr double p = 1.2345678912345679;
  for (const int e : {100, 500, 520, 530, 535, 540, 545, 1000}) {
    const Solved got = solve(context, {0, std::ldexp(p, -e), std::ldexp(1, e), 0, 0, 1, 1, 1, 1}, {1, 0, 1}, 3);
    EXPECT_NEAR(std::ldexp(got.x[1] * p, -e), 1, 0x1p-51) << e;
    EXPECT_EQ(got.x[2], 0) << e;
  }
}

TEST(SolveLinear, ANotANumberIsNoMissingPivot) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Values& a : {Values{0, 1, nan, 1}, Values{nan, 1, 0, 1}}) {
    const Solved got = solve(context_of(), a, {1, 2}, 2);
    EXPECT_TRUE(std::isnan(got.x[0]) && std::isnan(got.x[1]));
  }
}

TEST(SolveLinear, ExactlySingularIsSingularAndBStays) {
  ops::Context& context = context_of();
  Values equal_rows = random_values(70 * 70, 51);
  std::copy(equal_rows.begin(), equal_rows.begin() + 70, equal_rows.begin() + 69 * 70);
  const std::vector<std::pair<Values, Index>> cases = {{{0}, 1},
                                                       {{1, 2, 2, 4}, 2},
                                                       {{0, 1, 0, 2}, 2},
                                                       {{0, 0, 3, 4}, 2},
                                                       {Values(9, 1.0), 3},
                                                       {equal_rows, 70},
                                                       {{1e300, 1e300, 1e-300, 1e-300}, 2}};
  for (const auto& [a, n] : cases) {
    const Values b(static_cast<std::size_t>(n), 1.0);  // in the range of some of them
    const Array a_array(context, a), b_array(context, b);
    try {
      ops::solve_linear(context, {a_array.slice(), b_array.slice(), n, 1, fresh_contents()}, Precision::Fp64);
      ADD_FAILURE() << "no error for n = " << n << ", A = " << a[0];
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::Singular);
    }
    EXPECT_EQ(b_array.values(), b);
  }
}

TEST(SolveLinear, EveryClassEndsAtFp64Level) {
  ops::Context& context = context_of();
  constexpr Index n = 50;
  const Values a = matrix_of_condition(n, 1e3), b = random_values(n, 61);
  for (const Precision precision : device_classes) {
    const Solved solved = solve(context, a, b, n, precision);
    EXPECT_LE(backward_error(a, b, solved.x, n), fp64_level(n)) << word_of(precision);
    EXPECT_EQ(solved.outcome.done.report.precision, precision);
  }
}

TEST(SolveLinear, SpecialValuesTakeTheFactorsAndReachOnlyTheirSide) {
  ops::Context& context = context_of();
  const double inf = std::numeric_limits<double>::infinity();
  const Values a = {2, 0, 0, 4};
  const Solved solved = solve(context, a, {inf, 2, 8, 8}, 2);
  EXPECT_EQ(solved.outcome.done.report.fallback_reason, Reason::Nonfinite);
  EXPECT_FALSE(std::isfinite(solved.x[0]));
  EXPECT_EQ(solved.x[1], 1);
  EXPECT_EQ(solved.x[3], 2);
  const Solved poisoned = solve(context, {std::nan(""), 1, 1, 1}, {1, 1}, 2);
  EXPECT_EQ(word_of(poisoned.x[1]), 0x7FF8000000000000u);
}

TEST(SolveLinear, EveryFailureLeavesBAsItWas) {
  FaultyDevice device(device::open(0));
  ops::Context context(0, device, std::uint64_t{1} << 24);
  const Values a = {4, 1, 2, 1, 5, 3, 2, 3, 7}, b = {1, 2, 3};
  const Array a_array(context, a), b_array(context, b);
  Index failed = 0;
  for (Index n = 1;; ++n) {
    ASSERT_LT(n, 1000);
    device.fail_at(n, Failures::AllFromThere);
    bool threw = false;
    try {
      ops::solve_linear(context, {a_array.slice(), b_array.slice(), 3, 1, fresh_contents()}, Precision::Fp64);
    } catch (const Error&) {
      threw = true;
    }
    const Index calls = device.calls();
    device.fail_at(0);
    if (!threw) {
      EXPECT_LT(calls, n);
      break;
    }
    ++failed;
    EXPECT_EQ(b_array.values(), b) << n;
  }
  EXPECT_GT(failed, 10);
  EXPECT_LE(backward_error(a, b, b_array.values(), 3), fp64_level(3));
}

}  // namespace
}  // namespace ab::test
