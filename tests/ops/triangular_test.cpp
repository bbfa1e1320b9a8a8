// SPDX-License-Identifier: MIT
// Triangular systems against exact residuals: all shapes of T, blocks, alpha; what may be read; failures.
#include "ops/triangular.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "array.hpp"
#include "device/registry.hpp"
#include "support/faulty_device.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

using Big = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>>;
constexpr double poison = std::numeric_limits<double>::quiet_NaN();

enum class Storage { Rows, Columns };  // of T and X, where an entry's neighbour is

struct Case {
  Index size, sides;
  Triangle triangle;
  Diagonal diagonal;
  Storage t = Storage::Rows, x = Storage::Rows;
  double alpha = 1.0;
};

// Well conditioned; what must not be read is NaN.
Values matrix_of(const Case& c) {
  Values t = random_values(c.size * c.size, 21);
  for (Index i = 0; i < c.size; ++i) {
    for (Index k = 0; k < c.size; ++k) {
      double& entry = t[static_cast<std::size_t>(c.t == Storage::Rows ? i * c.size + k : k * c.size + i)];
      const bool outside = c.triangle == Triangle::Lower ? k > i : k < i;
      if (outside || (i == k && c.diagonal == Diagonal::Unit)) entry = poison;
      if (i == k && c.diagonal == Diagonal::Stored) entry = (entry < 0 ? -2.0 : 2.0) + entry;
      if (i != k && !outside) entry /= 8;
    }
  }
  return t;
}

struct System {
  Case c;
  Values t, b;
  Array t_array, x_array;
  System(ops::Context& context, const Case& described)
      : c(described), t(matrix_of(c)), b(random_values(c.size * c.sides, 22)), t_array(context, t), x_array(context, b) {}

  ops::TriangularSystem request() const {
    const bool rows = c.t == Storage::Rows, x_rows = c.x == Storage::Rows;
    return {.t = t_array.slice(),
            .row_stride = rows ? c.size : 1,
            .column_stride = rows ? 1 : c.size,
            .contents = 0,
            .triangle = c.triangle,
            .diagonal = c.diagonal,
            .alpha = c.alpha,
            .x = {.parts = {x_array.slice(), x_array.slice()},
                  .rows = c.size,
                  .columns = c.sides,
                  .row_stride = x_rows ? c.sides : 1,
                  .column_stride = x_rows ? 1 : c.size}};
  }
  double t_at(Index i, Index k) const { return t[static_cast<std::size_t>(c.t == Storage::Rows ? i * c.size + k : k * c.size + i)]; }
  std::size_t x_place(Index i, Index j) const { return static_cast<std::size_t>(c.x == Storage::Rows ? i * c.sides + j : j * c.size + i); }

  // Largest |alpha b - T x| / (|alpha b| + |T||x|) of all entries, in units of 2^-53.
  double backward_error() const {
    const Values x = x_array.values();
    double worst = 0;
    for (Index i = 0; i < c.size; ++i) {
      for (Index j = 0; j < c.sides; ++j) {
        Big residual = Big(c.alpha) * b[x_place(i, j)], size = abs(residual);
        for (Index k = 0; k < c.size; ++k) {
          const bool inside = c.triangle == Triangle::Lower ? k < i : k > i;
          if (k != i && !inside) continue;
          const double entry = k == i && c.diagonal == Diagonal::Unit ? 1.0 : t_at(i, k);
          const Big term = Big(entry) * x[x_place(k, j)];
          residual -= term;
          size += abs(term);
        }
        const double error = static_cast<double>(Big(abs(residual) / size)) * 0x1p53;
        if (!(error <= worst)) worst = error;
      }
    }
    return worst;
  }
};

std::vector<Case> shapes(Index size, Index sides) {
  std::vector<Case> out;
  for (const Triangle triangle : {Triangle::Lower, Triangle::Upper}) {
    for (const Diagonal diagonal : {Diagonal::Stored, Diagonal::Unit}) {
      for (const Storage t : {Storage::Rows, Storage::Columns}) {
        for (const Storage x : {Storage::Rows, Storage::Columns}) out.push_back({size, sides, triangle, diagonal, t, x});
      }
    }
  }
  return out;
}

TEST(Triangular, EveryShapeHasASmallBackwardError) {
  ops::Context& context = context_of();
  for (const Index size : {1, 3, 64, 65, 150}) {
    for (const Case& c : shapes(size, size == 65 ? 1 : 7)) {
      const System system(context, c);
      const ops::SeriesOutcome outcome = ops::solve_triangular(context, system.request(), Precision::Fp64);
      ASSERT_FALSE(outcome.declined);
      EXPECT_EQ(outcome.done.products, size <= 64 ? 0 : size == 65 ? 1 : 2);
      // Substitution: size u componentwise; each product K u |A||X| and two roundings.
      EXPECT_LE(system.backward_error(), 2.0 * static_cast<double>(size) + 4) << size;
    }
  }
}

TEST(Triangular, AlphaScalesInFp64AndZeroReadsNothing) {
  ops::Context& context = context_of();
  const Case c = {100, 3, Triangle::Upper, Diagonal::Stored, Storage::Rows, Storage::Columns, -1.0 / 3.0};
  const System system(context, c);
  ops::solve_triangular(context, system.request(), Precision::Fp64);
  EXPECT_LE(system.backward_error(), 210.0);
  const Array nothing(context, Values(4, poison)), x(context, Values(4, poison));
  ops::TriangularSystem zero = system.request();
  zero.t = nothing.slice();
  zero.x = {.parts = {x.slice(), x.slice()}, .rows = 2, .columns = 2, .row_stride = 2, .column_stride = 1};
  zero.alpha = -0.0;
  const ops::SeriesOutcome outcome = ops::solve_triangular(context, zero, Precision::Fp64);
  EXPECT_EQ(x.values(), Values(4, 0.0));
  EXPECT_EQ(outcome.done.products, 0);
  EXPECT_EQ(outcome.done.report.scheme, Scheme::None);
}

TEST(Triangular, ClassesSayWhatTheyComputedAndStrictIsNoWorse) {
  ops::Context& context = context_of();
  double fp64 = 0;
  for (const Precision precision : device_classes) {
    const System system(context, {200, 5, Triangle::Lower, Diagonal::Stored});
    const ops::SeriesOutcome outcome = ops::solve_triangular(context, system.request(), precision);
    EXPECT_EQ(outcome.done.report.precision, precision);
    EXPECT_EQ(outcome.done.products, 3);
    EXPECT_GT(outcome.done.report.bound, 0);
    if (precision == Precision::Fp64) fp64 = system.backward_error();
    if (precision == Precision::Strict) {
      EXPECT_LE(system.backward_error(), fp64 + 8);
    }
    if (precision == Precision::DoubleFloat) {
      EXPECT_LE(system.backward_error(), (3 * 128 + 13) * 32.0 + 400);  // v^2 = 32 u
    }
  }
}

// A zero pivot is no error; one right side's Inf or NaN does not reach the others where no product mixes them.
TEST(Triangular, AZeroOnTheDiagonalGivesInfAndNan) {
  ops::Context& context = context_of();
  const Array t(context, {2, 0, 1, 0}), x(context, {4, 0, 5, 0});
  const ops::TriangularSystem system = {
      .t = t.slice(),
      .row_stride = 2,
      .column_stride = 1,
      .contents = 0,
      .triangle = Triangle::Lower,
      .diagonal = Diagonal::Stored,
      .alpha = 1,
      .x = {.parts = {x.slice(), x.slice()}, .rows = 2, .columns = 2, .row_stride = 2, .column_stride = 1}};
  ops::solve_triangular(context, system, Precision::Fp64);
  const Values got = x.values();
  EXPECT_EQ(got[0], 2.0);
  EXPECT_TRUE(std::isinf(got[2]));
  EXPECT_EQ(word_of(got[3]), 0x7FF8000000000000u);  // 0 / 0, canonical
}

TEST(Triangular, KeptPreparationsOfTChangeNoBit) {
  FaultyDevice device(device::open(0));
  ops::Context context(0, device, std::uint64_t{1} << 28);
  const Case c = {150, 4, Triangle::Lower, Diagonal::Stored};
  const System first(context, c), second(context, c);
  ops::TriangularSystem known = first.request();
  known.contents = fresh_contents();
  ops::solve_triangular(context, known, Precision::Fp64);
  const Index scans = device.launches_of("scan");
  known.x = second.request().x;
  ops::solve_triangular(context, known, Precision::Fp64);
  EXPECT_EQ(device.launches_of("scan") - scans, scans / 2);  // of X only
  EXPECT_EQ(first.x_array.values(), second.x_array.values());
}

TEST(Triangular, EveryFailureLeavesXAsItWas) {
  FaultyDevice device(device::open(0));
  ops::Context context(0, device, std::uint64_t{1} << 24);
  const System system(context, {70, 2, Triangle::Upper, Diagonal::Unit, Storage::Columns, Storage::Columns, 2.0});
  Index failed = 0;
  for (Index n = 1;; ++n) {
    ASSERT_LT(n, 1000);
    device.fail_at(n, Failures::AllFromThere);
    bool threw = false;
    try {
      ops::solve_triangular(context, system.request(), Precision::Fp64);
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
    EXPECT_EQ(system.x_array.values(), system.b) << n;
  }
  EXPECT_GT(failed, 10);
  EXPECT_LE(system.backward_error(), 150.0);
}

}  // namespace
}  // namespace ab::test
