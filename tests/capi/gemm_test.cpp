// SPDX-License-Identifier: MIT
// Products of handles: results on small integers (exact in every class), rules of alpha, beta and aliasing, refusals in order.
#include <cmath>
#include <limits>

#include "handles.hpp"

namespace ab::test {
namespace {

using Gemm = Initialized;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

using Values = std::vector<double>;

ABProduct last_product() {
  ABProduct product = {};
  product.struct_size = sizeof product;
  EXPECT_EQ(ab_last_product(&product), AB_OK);
  return product;
}

TEST_F(Gemm, MultipliesRowMajorMatrices) {
  const Matrix a(2, 3, {1, 2, 3, 4, 5, 6}), b(3, 2, {7, 8, 9, 10, 11, 12}), c(2, 2);
  ASSERT_EQ(ab_dgemm(a, b, c), AB_OK) << ab_last_error();
  EXPECT_EQ(c.contents(), (Values{58, 64, 139, 154}));
}

TEST_F(Gemm, EveryAvailableClassIsExactOnSmallIntegers) {
  const Matrix a(3, 4, counted(3, 4)), b(4, 5, counted(4, 5, -9.0)), c(3, 5);
  Values want;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 5; ++j) {
      double sum = 0;
      for (int k = 0; k < 4; ++k) sum += (1 + i * 4 + k) * (-9.0 + k * 5 + j);
      want.push_back(sum);
    }
  }
  for (ABPrecision precision : {AB_PRECISION_DD, AB_PRECISION_FAST, AB_PRECISION_FP64, AB_PRECISION_STRICT}) {
    ASSERT_EQ(ab_set_precision(precision), AB_OK);
    ASSERT_EQ(ab_dgemm(a, b, c), AB_OK) << ab_last_error();
    EXPECT_EQ(c.contents(), want) << precision;
    EXPECT_EQ(last_product().precision, precision);
    EXPECT_EQ(last_product().engine, AB_ENGINE_DEVICE);
    EXPECT_STREQ(last_product().route_reason, "resident");
    EXPECT_STREQ(last_product().fallback_reason, "");
    EXPECT_GE(last_product().bound, 0.0);
  }
  ASSERT_EQ(ab_set_precision(AB_PRECISION_DEFAULT), AB_OK);
}

TEST_F(Gemm, ScaledUsesAlphaAndBetaInFp64) {
  const double alpha = 1.0 + 0x1p-50, beta = 1.0 / 3.0;
  const Matrix a(1, 1, {3.0}), b(1, 1, {5.0}), c(1, 1, {7.0});
  ASSERT_EQ(ab_dgemm_scaled(alpha, a, b, beta, c), AB_OK) << ab_last_error();
  const double product = alpha * 15.0, addend = beta * 7.0;  // each operation is rounded
  EXPECT_EQ(c.contents(), (Values{product + addend}));
}

TEST_F(Gemm, BetaZeroDoesNotReadC) {
  const Matrix a(1, 2, {1, 2}), b(2, 1, {3, 4}), full(1, 1, {nan}), fresh(1, 1);
  ASSERT_EQ(ab_dgemm_scaled(2.0, a, b, 0.0, full), AB_OK);
  ASSERT_EQ(ab_dgemm_scaled(2.0, a, b, -0.0, fresh), AB_OK);
  EXPECT_EQ(full.contents(), (Values{22}));
  EXPECT_EQ(fresh.contents(), (Values{22}));
}

TEST_F(Gemm, AlphaZeroDoesNotReadAAndB) {
  const Matrix undefined(2, 2), poisoned(2, 2, {nan, inf, nan, inf}), c(2, 2, {1, 2, 3, 4}), fresh(2, 2);
  ASSERT_EQ(ab_dgemm_scaled(0.0, undefined, poisoned, 3.0, c), AB_OK) << ab_last_error();
  EXPECT_EQ(c.contents(), (Values{3, 6, 9, 12}));
  ASSERT_EQ(ab_dgemm_scaled(-0.0, poisoned, undefined, 0.0, fresh), AB_OK) << ab_last_error();
  EXPECT_EQ(fresh.words(), Words(4, 0));
}

TEST_F(Gemm, ScaledOneZeroGivesTheBitsOfPlain) {
  Values x = counted(6, 7), y = counted(7, 5);
  for (double& value : x) value = std::sqrt(value);
  for (double& value : y) value = 1.0 / value;
  const Matrix a(6, 7, x), b(7, 5, y), plain(6, 5), scaled(6, 5);
  ASSERT_EQ(ab_dgemm(a, b, plain), AB_OK);
  ASSERT_EQ(ab_dgemm_scaled(1.0, a, b, 0.0, scaled), AB_OK);
  EXPECT_EQ(plain.words(), scaled.words());
}

TEST_F(Gemm, NanAndInfAppearWhereIeeePutsThem) {
  const Matrix a(2, 2, {nan, 1, 0, 1}), b(2, 2, {1, inf, 1, 1}), c(2, 2);
  ASSERT_EQ(ab_dgemm(a, b, c), AB_OK) << ab_last_error();
  const Values got = c.contents().value();
  EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[1]));
  EXPECT_EQ(got[2], 1.0);
  EXPECT_TRUE(std::isnan(got[3]));  // 0 * Inf + 1
  EXPECT_EQ(c.words().value()[0], 0x7FF8000000000000u);
}

TEST_F(Gemm, OneHandleMayBeBothFactors) {
  const Matrix a(2, 2, {1, 2, 3, 4}), c(2, 2);
  ASSERT_EQ(ab_dgemm(a, a, c), AB_OK);
  EXPECT_EQ(c.contents(), (Values{7, 10, 15, 22}));
}

TEST_F(Gemm, SplitComplexProduct) {
  const Matrix ar(1, 2, {1, 2}), ai(1, 2, {3, 4}), br(2, 1, {5, 6}), bi(2, 1, {7, 8}), cr(1, 1), ci(1, 1);
  ASSERT_EQ(ab_zgemm(ar, ai, br, bi, cr, ci), AB_OK) << ab_last_error();
  EXPECT_EQ(cr.contents(), (Values{5 - 21 + 12 - 32}));
  EXPECT_EQ(ci.contents(), (Values{7 + 15 + 16 + 24}));
}

using Cell = std::complex<double>;
struct Grid {
  int rows, cols;
  std::vector<Cell> cells;
  Cell at(ABTranspose op, int i, int j) const {
    const Cell cell = op == AB_NO_TRANS ? cells[static_cast<std::size_t>(i * cols + j)] : cells[static_cast<std::size_t>(j * cols + i)];
    return op == AB_CONJ_TRANS ? std::conj(cell) : cell;
  }
  Values part(bool imaginary) const {
    Values values;
    for (const Cell& cell : cells) values.push_back(imaginary ? cell.imag() : cell.real());
    return values;
  }
};
Grid grid(int rows, int cols, double first) {
  Grid made = {rows, cols, {}};
  for (int i = 0; i < rows * cols; ++i) made.cells.emplace_back(first + i, 2.0 * first - 3 * i);
  return made;
}

TEST_F(Gemm, EveryTransposePairOfComplexProducts) {
  constexpr int m = 2, n = 3, k = 4;
  for (ABTranspose ta : {AB_NO_TRANS, AB_TRANS, AB_CONJ_TRANS}) {
    for (ABTranspose tb : {AB_NO_TRANS, AB_TRANS, AB_CONJ_TRANS}) {
      const Grid a = ta == AB_NO_TRANS ? grid(m, k, 1) : grid(k, m, 1), b = tb == AB_NO_TRANS ? grid(k, n, -5) : grid(n, k, -5);
      const Matrix ar(a.rows, a.cols, a.part(false)), ai(a.rows, a.cols, a.part(true)), br(b.rows, b.cols, b.part(false)),
          bi(b.rows, b.cols, b.part(true)), cr(m, n), ci(m, n);
      ASSERT_EQ(ab_zgemm_ex(ta, tb, ar, ai, br, bi, cr, ci), AB_OK) << ab_last_error();
      Grid want = {m, n, {}};
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
          Cell sum = 0;
          for (int l = 0; l < k; ++l) sum += a.at(ta, i, l) * b.at(tb, l, j);
          want.cells.push_back(sum);
        }
      }
      EXPECT_EQ(cr.contents(), want.part(false)) << ta << tb;
      EXPECT_EQ(ci.contents(), want.part(true)) << ta << tb;
    }
  }
}

TEST_F(Gemm, RefusesInTheOrderOfTheErrorTable) {
  const Matrix a(3, 4, counted(3, 4)), b(4, 5, counted(4, 5)), wrong(5, 2, counted(5, 2)), c(3, 5, counted(3, 5)), square(4, 4),
      fresh(3, 5), empty(3, 4);
  const std::vector<Refusal> refusals = {
      {[&] { return ab_dgemm(nullptr, wrong, c); }, AB_ERROR_INVALID_ARG, "ab_dgemm: A is NULL, expected a matrix"},
      {[&] { return ab_dgemm(a, nullptr, c); }, AB_ERROR_INVALID_ARG, "ab_dgemm: B is NULL, expected a matrix"},
      {[&] { return ab_dgemm(a, b, nullptr); }, AB_ERROR_INVALID_ARG, "ab_dgemm: C is NULL, expected a matrix"},
      {[&] { return ab_dgemm(a, wrong, c); }, AB_ERROR_DIMENSION_MISMATCH, "ab_dgemm: A is 3x4, B is 5x2: inner dimensions differ"},
      {[&] { return ab_dgemm(a, b, a); }, AB_ERROR_DIMENSION_MISMATCH, "ab_dgemm: A is 3x4, B is 4x5, C is 3x4: C must be 3x5"},
      {[&] { return ab_dgemm(square, square, square); }, AB_ERROR_INVALID_ARG,
       "ab_dgemm: C is the same matrix as A: an output must not be an input"},
      {[&] { return ab_dgemm_scaled(0.0, a, square, 0.0, a); }, AB_ERROR_INVALID_ARG,
       "ab_dgemm_scaled: C is the same matrix as A: an output must not be an input"},
      {[&] { return ab_dgemm(empty, b, c); }, AB_ERROR_NOT_UPLOADED, "ab_dgemm: A has no contents: upload, zero or compute it first"},
      {[&] { return ab_dgemm_scaled(1.0, a, b, 2.0, fresh); }, AB_ERROR_NOT_UPLOADED,
       "ab_dgemm_scaled: C has no contents: upload, zero or compute it first"},
  };
  expect_refusals(refusals, {&a, &b, &wrong, &c, &square, &fresh, &empty});
}

TEST_F(Gemm, RefusesComplexMistakes) {
  const Matrix ar(2, 3, counted(2, 3)), ai(2, 3, counted(2, 3)), odd(3, 2, counted(3, 2)), br(3, 2, counted(3, 2)), bi(3, 2, counted(3, 2)),
      cr(2, 2, counted(2, 2)), ci(2, 2, counted(2, 2)), empty(3, 2);
  const auto bad = static_cast<ABTranspose>(3);
  const std::vector<Refusal> refusals = {
      {[&] { return ab_zgemm(ar, nullptr, br, bi, cr, ci); }, AB_ERROR_INVALID_ARG, "ab_zgemm: Ai is NULL, expected a matrix"},
      {[&] { return ab_zgemm_ex(bad, bad, ar, ai, br, nullptr, cr, ci); }, AB_ERROR_INVALID_ARG,
       "ab_zgemm_ex: Bi is NULL, expected a matrix"},
      {[&] { return ab_zgemm_ex(bad, AB_TRANS, ar, odd, br, bi, cr, ci); }, AB_ERROR_INVALID_ARG,
       "ab_zgemm_ex: transA is 3, expected 0, 1 or 2"},
      {[&] { return ab_zgemm_ex(AB_TRANS, static_cast<ABTranspose>(-1), ar, ai, br, bi, cr, ci); }, AB_ERROR_INVALID_ARG,
       "ab_zgemm_ex: transB is -1, expected 0, 1 or 2"},
      {[&] { return ab_zgemm(ar, odd, br, bi, cr, ci); }, AB_ERROR_DIMENSION_MISMATCH, "ab_zgemm: Ar is 2x3, Ai is 3x2: shapes differ"},
      {[&] { return ab_zgemm_ex(AB_CONJ_TRANS, AB_NO_TRANS, ar, ai, br, bi, cr, ci); }, AB_ERROR_DIMENSION_MISMATCH,
       "ab_zgemm_ex: op(Ar) is 3x2, Br is 3x2: inner dimensions differ"},
      {[&] { return ab_zgemm(ar, ai, br, bi, cr, cr); }, AB_ERROR_INVALID_ARG,
       "ab_zgemm: Cr and Ci are the same matrix: outputs must differ"},
      {[&] { return ab_zgemm_ex(AB_NO_TRANS, AB_NO_TRANS, cr, ci, cr, cr, ci, empty); }, AB_ERROR_DIMENSION_MISMATCH,
       "ab_zgemm_ex: Cr is 2x2, Ci is 3x2: shapes differ"},
      {[&] { return ab_zgemm(ar, ai, br, empty, cr, ci); }, AB_ERROR_NOT_UPLOADED,
       "ab_zgemm: Bi has no contents: upload, zero or compute it first"},
  };
  expect_refusals(refusals, {&ar, &ai, &odd, &br, &bi, &cr, &ci, &empty});
}

TEST_F(Gemm, AMismatchOnHandlesOfBeforeAShutdownIsADimensionMismatch) {
  const Matrix a(3, 4, counted(3, 4)), wrong(5, 2, counted(5, 2)), b(4, 5, counted(4, 5)), c(3, 5);
  ab_shutdown();
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(ab_dgemm(a, wrong, c), AB_ERROR_DIMENSION_MISMATCH);
    EXPECT_EQ(ab_dgemm(a, b, c), AB_ERROR_NO_DEVICE);
    EXPECT_STREQ(ab_last_error(), "ab_dgemm: A is from before ab_shutdown and can only be destroyed");
    EXPECT_EQ(ab_dgemm(b, b, b), AB_ERROR_DIMENSION_MISMATCH);
    ASSERT_EQ(ab_init(), AB_OK);  // handles do not come back to life
  }
}

}  // namespace
}  // namespace ab::test
