// SPDX-License-Identifier: MIT
// Solves of handles: every form of ab_dtrsm against exact residuals, ab_dgesv_mpir from good to singular, statistics and reports.
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "handles.hpp"
#include "support/random.hpp"

namespace ab::test {
namespace {

using Big = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>>;
using Values = std::vector<double>;
using Solves = Initialized;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Values random_values(int count, std::uint64_t start) {
  Random random(start);
  Values values(static_cast<std::size_t>(count));
  for (double& value : values) value = random.uniform();
  return values;
}

ABProduct last_product() {
  ABProduct product = {};
  product.struct_size = sizeof product;
  EXPECT_EQ(ab_last_product(&product), AB_OK);
  return product;
}

struct Form {
  ABSide side;
  ABUplo uplo;
  ABTranspose trans;
  ABDiag diag;
};

std::vector<Form> all_forms() {
  std::vector<Form> out;
  for (ABSide side : {AB_LEFT, AB_RIGHT}) {
    for (ABUplo uplo : {AB_UPPER, AB_LOWER}) {
      for (ABTranspose trans : {AB_NO_TRANS, AB_TRANS, AB_CONJ_TRANS}) {
        for (ABDiag diag : {AB_NON_UNIT, AB_UNIT_DIAG}) out.push_back({side, uplo, trans, diag});
      }
    }
  }
  return out;
}

bool is_read(const Form& form, int i, int k) {
  if (i == k) return form.diag == AB_NON_UNIT;
  return form.uplo == AB_UPPER ? i < k : i > k;
}

// NaN wherever the form must not look.
Values triangle(const Form& form, int n) {
  Values a = random_values(n * n, 5);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      double& entry = a[static_cast<std::size_t>(i * n + k)];
      entry = !is_read(form, i, k) ? nan : i == k ? std::copysign(2.0, entry) + entry : entry / 4;
    }
  }
  return a;
}

// op(A) with its unit diagonal and zeros.
double entry_of(const Form& form, const Values& a, int n, int i, int k) {
  if (form.trans != AB_NO_TRANS) std::swap(i, k);
  if (i == k && form.diag == AB_UNIT_DIAG) return 1.0;
  return is_read(form, i, k) ? a[static_cast<std::size_t>(i * n + k)] : 0.0;
}

// Largest |alpha B - op(A) X| / (|alpha B| + |op(A)||X|) in units of 2^-53.
double backward_error(const Form& form, double alpha, const Values& a, int n, const Values& b, const Values& x, int rows, int cols) {
  double worst = 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      Big residual = Big(alpha) * b[static_cast<std::size_t>(i * cols + j)], size = abs(residual);
      for (int k = 0; k < n; ++k) {
        const bool left = form.side == AB_LEFT;
        const double factor = left ? entry_of(form, a, n, i, k) : entry_of(form, a, n, k, j);
        const Big term = Big(factor) * x[static_cast<std::size_t>(left ? k * cols + j : i * cols + k)];
        residual -= term;
        size += abs(term);
      }
      const double error = static_cast<double>(Big(abs(residual) / size)) * 0x1p53;
      if (!(error <= worst)) worst = error;
    }
  }
  return worst;
}

TEST_F(Solves, EveryFormOfTrsmHasASmallBackwardError) {
  for (const Form& form : all_forms()) {
    for (const int n : {1, 5, 70}) {
      const double alpha = n == 5 ? -0.75 : 1.0;
      const int rows = form.side == AB_LEFT ? n : 3, cols = form.side == AB_LEFT ? 4 : n;
      const Values a = triangle(form, n), b = random_values(rows * cols, 6);
      const Matrix am(n, n, a), bm(rows, cols, b);
      ASSERT_EQ(ab_dtrsm(form.side, form.uplo, form.trans, form.diag, alpha, am, bm), AB_OK) << ab_last_error();
      EXPECT_LE(backward_error(form, alpha, a, n, b, bm.contents().value(), rows, cols), 2.0 * n + 4)
          << form.side << form.uplo << form.trans << form.diag << " " << n;
      EXPECT_EQ(am.words(), Matrix(n, n, a).words());
    }
  }
}

TEST_F(Solves, AlphaZeroReadsNeitherOperand) {
  const Matrix empty(2, 2), fresh(2, 3);
  ASSERT_EQ(ab_dtrsm(AB_LEFT, AB_UPPER, AB_NO_TRANS, AB_NON_UNIT, 0.0, empty, fresh), AB_OK) << ab_last_error();
  EXPECT_EQ(fresh.words(), Words(6, 0));
}

TEST_F(Solves, AMatrixMayBeItsOwnRightSide) {
  const Matrix a(2, 2, {2, 1, 0, 4});
  ASSERT_EQ(ab_dtrsm(AB_LEFT, AB_UPPER, AB_NO_TRANS, AB_NON_UNIT, 1.0, a, a), AB_OK);
  EXPECT_EQ(a.contents(), (Values{1, 0, 0, 1}));
}

TEST_F(Solves, TrsmReportsTheMergerOfItsProducts) {
  const Form form = {AB_LEFT, AB_LOWER, AB_NO_TRANS, AB_NON_UNIT};
  const Matrix small(8, 8, triangle(form, 8)), b(8, 2, counted(8, 2)), large(300, 300, triangle(form, 300)), c(300, 2, counted(300, 2));
  const Matrix factor(2, 2, {1, 2, 3, 4}), product(2, 2);
  ASSERT_EQ(ab_dgemm(factor, factor, product), AB_OK);
  const ABProduct before = last_product();
  ASSERT_EQ(ab_dtrsm(AB_LEFT, AB_LOWER, AB_NO_TRANS, AB_NON_UNIT, 1.0, small, b), AB_OK);
  EXPECT_EQ(ab_get_stats().dgemm_count, 1u);  // one block: no product
  EXPECT_EQ(last_product().bound, before.bound);
  ASSERT_EQ(ab_dtrsm(AB_LEFT, AB_LOWER, AB_NO_TRANS, AB_NON_UNIT, 1.0, large, c), AB_OK);
  EXPECT_EQ(ab_get_stats().dgemm_count, 5u);  // blocks of 64, 64, 64, 64, 44
  const ABProduct merged = last_product();
  EXPECT_EQ(merged.scheme, AB_SCHEME_CRT_INT8);
  EXPECT_GT(merged.bound, 0);
  EXPECT_LE(merged.bound, 256.0);  // of the longest: K u
  EXPECT_STREQ(merged.route_reason, "resident");
}

TEST_F(Solves, ClassesReachTheProductsOfTrsm) {
  const Form form = {AB_LEFT, AB_LOWER, AB_NO_TRANS, AB_NON_UNIT};
  const Matrix a(100, 100, triangle(form, 100));
  ASSERT_EQ(ab_set_precision(AB_PRECISION_DD), AB_OK);
  const Matrix b(100, 2, random_values(200, 9));
  ASSERT_EQ(ab_dtrsm(AB_LEFT, AB_LOWER, AB_NO_TRANS, AB_NON_UNIT, 1.0, a, b), AB_OK);
  EXPECT_EQ(last_product().scheme, AB_SCHEME_DD);
  ASSERT_EQ(ab_set_precision(AB_PRECISION_DEFAULT), AB_OK);
}

TEST_F(Solves, MpirSolvesAndKeepsA) {
  constexpr int n = 80;
  Values a = random_values(n * n, 11), x = random_values(n * 2, 12), b(static_cast<std::size_t>(n * 2));
  for (int i = 0; i < n; ++i) a[static_cast<std::size_t>(i * (n + 1))] += 12;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 2; ++k) {
      Big sum = 0;
      for (int j = 0; j < n; ++j) sum += Big(a[static_cast<std::size_t>(i * n + j)]) * x[static_cast<std::size_t>(j * 2 + k)];
      b[static_cast<std::size_t>(i * 2 + k)] = static_cast<double>(sum);
    }
  }
  const Matrix am(n, n, a), bm(n, 2, b);
  ASSERT_EQ(ab_dgesv_mpir(am, bm), AB_OK) << ab_last_error();
  const Values got = bm.contents().value();
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(got[i], x[i], 1e-13) << i;
  EXPECT_EQ(am.contents(), a);
  EXPECT_STREQ(last_product().fallback_reason, "");
  EXPECT_GE(ab_get_stats().dgemm_count, 2u);
  EXPECT_EQ(ab_get_stats().zgemm_count, 0u);
}

// Hilbert's matrix of order 12 has a condition number of 1.7e16: only FP64 factors remain.
TEST_F(Solves, MpirFallsBackAndSaysSo) {
  constexpr int n = 12;
  Values hilbert;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) hilbert.push_back(1.0 / (i + j + 1));
  }
  const Matrix a(n, n, hilbert), b(n, 1, Values(n, 1.0));
  ASSERT_EQ(ab_dgesv_mpir(a, b), AB_OK) << ab_last_error();
  EXPECT_STREQ(last_product().fallback_reason, "not_converged");
  EXPECT_EQ(last_product().engine, AB_ENGINE_HOST);
  EXPECT_EQ(last_product().bound, -1);
  const Values x = b.contents().value();
  Big worst = 0, size = 0;
  for (int i = 0; i < n; ++i) {
    Big residual = 1;
    for (int j = 0; j < n; ++j) residual -= Big(hilbert[static_cast<std::size_t>(i * n + j)]) * x[static_cast<std::size_t>(j)];
    worst = std::max(worst, Big(abs(residual)));
    size = std::max(size, abs(Big(x[static_cast<std::size_t>(i)])));
  }
  EXPECT_LE(static_cast<double>(Big(worst / size)), 3.2 * n * 0x1p-53);  // |A|_inf is 3.1
}

TEST_F(Solves, MpirRefusesSingularMatricesAndLeavesB) {
  const Matrix a(3, 3, {1, 2, 3, 1, 2, 3, 4, 5, 6}), b(3, 2, counted(3, 2)), fine(3, 3, {2, 0, 0, 0, 2, 0, 0, 0, 2});
  expect_refusals(
      {{[&] { return ab_dgesv_mpir(a, b); }, AB_ERROR_SINGULAR, "ab_dgesv_mpir: A is exactly singular: a column has no pivot but zero"}},
      {&a, &b});
  ASSERT_EQ(ab_dgesv_mpir(fine, b), AB_OK);
  EXPECT_EQ(b.contents(), (Values{0.5, 1, 1.5, 2, 2.5, 3}));
}

}  // namespace
}  // namespace ab::test
