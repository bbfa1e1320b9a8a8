// SPDX-License-Identifier: MIT
// Products of a matrix with its own transpose, bit for bit against general products; what every product tells of itself.
#include "capi/product.hpp"

#include <cmath>

#include "handles.hpp"
#include "support/random.hpp"

namespace ab::test {
namespace {

using RankK = Initialized;
using Values = std::vector<double>;

Values random_values(int rows, int cols, std::uint64_t start) {
  Random random(start);
  Values values(static_cast<std::size_t>(rows * cols));
  for (double& value : values) value = random.tail(4);
  return values;
}

Values transposed(const Values& values, int rows, int cols) {
  Values out(values.size());
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) out[static_cast<std::size_t>(j * rows + i)] = values[static_cast<std::size_t>(i * cols + j)];
  }
  return out;
}

const std::vector<ABPrecision> classes = {AB_PRECISION_DD, AB_PRECISION_FAST, AB_PRECISION_FP64, AB_PRECISION_STRICT};

TEST_F(RankK, TheUpperTriangleHasTheBitsOfAProductWithAnExplicitTranspose) {
  for (const int n : {1, 2, 7, 70}) {
    const int k = 13;
    const Values values = random_values(n, k, 1), old = counted(n, n, 100.0);
    const Matrix a(n, k, values), at(k, n, transposed(values, n, k)), full(n, n);
    for (const ABPrecision precision : classes) {
      const Matrix c(n, n, old), fresh(n, n);
      ASSERT_EQ(ab_set_precision(precision), AB_OK);
      ASSERT_EQ(ab_dgemm(a, at, full), AB_OK);
      ASSERT_EQ(ab_dsyrk(a, c), AB_OK) << ab_last_error();
      ASSERT_EQ(ab_dsyrk(a, fresh), AB_OK) << ab_last_error();
      const Words want = full.words().value(), got = c.words().value(), first = fresh.words().value();
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          const auto at_ij = static_cast<std::size_t>(i * n + j);
          EXPECT_EQ(got[at_ij], j >= i ? want[at_ij] : std::bit_cast<std::uint64_t>(old[at_ij])) << precision << " " << i << " " << j;
          EXPECT_EQ(first[at_ij], j >= i ? want[at_ij] : 0u) << precision << " " << i << " " << j;
        }
      }
    }
  }
  ASSERT_EQ(ab_set_precision(AB_PRECISION_DEFAULT), AB_OK);
}

TEST_F(RankK, HermitianProductsAreWrittenInFull) {
  constexpr int n = 9, k = 21;
  const Matrix ar(n, k, random_values(n, k, 3)), ai(n, k, random_values(n, k, 4)), cr(n, n), ci(n, n), full_re(n, n), full_im(n, n);
  ASSERT_EQ(ab_zgemm_ex(AB_NO_TRANS, AB_CONJ_TRANS, ar, ai, ar, ai, full_re, full_im), AB_OK);
  ASSERT_EQ(ab_zherk(ar, ai, cr, ci), AB_OK) << ab_last_error();
  const Values re = cr.contents().value(), im = ci.contents().value();
  const Values want_re = full_re.contents().value(), want_im = full_im.contents().value();
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(ci.words().value()[static_cast<std::size_t>(i * n + i)], 0u);
    for (int j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(i * n + j), mirror = static_cast<std::size_t>(j * n + i);
      EXPECT_EQ(re[at], re[mirror]);
      EXPECT_EQ(im[at], -im[mirror]);
      if (i >= j) continue;
      EXPECT_EQ(std::pair(re[at], im[at]), std::pair(want_re[at], want_im[at])) << i << " " << j;
    }
  }
}

TEST_F(RankK, OneMatrixMayBeBothPartsAndNanStaysWhereItBelongs) {
  const double nan = std::nan("");
  const Matrix a(2, 2, {1, 2, 3, 4}), cr(2, 2), ci(2, 2), bad(2, 1, {nan, 1}), c(2, 2, {5, 6, 7, 8});
  ASSERT_EQ(ab_zherk(a, a, cr, ci), AB_OK) << ab_last_error();
  EXPECT_EQ(cr.contents(), (Values{10, 22, 22, 50}));
  EXPECT_EQ(ci.contents(), Values(4, 0.0));
  ASSERT_EQ(ab_dsyrk(bad, c), AB_OK);
  const Values got = c.contents().value();
  EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[1]));
  EXPECT_EQ(got[2], 7);
  EXPECT_EQ(got[3], 1);
}

TEST_F(RankK, EachCountsOneProductAndSaysWhatItWas) {
  const Matrix ar(3, 2, counted(3, 2)), ai(3, 2, counted(3, 2)), c(3, 3), d(3, 3);
  ASSERT_EQ(ab_dsyrk(ar, c), AB_OK);
  ABProduct product = {};
  product.struct_size = sizeof product;
  ASSERT_EQ(ab_last_product(&product), AB_OK);
  EXPECT_EQ(product.complex_form, 0);
  EXPECT_STREQ(product.route_reason, "resident");
  ASSERT_EQ(ab_zherk(ar, ai, c, d), AB_OK);
  ASSERT_EQ(ab_last_product(&product), AB_OK);
  EXPECT_GE(product.complex_form, 3);
  EXPECT_EQ(ab_get_stats().dgemm_count, 1u);
  EXPECT_EQ(ab_get_stats().zgemm_count, 1u);
}

TEST(ProductRequest, HoldsKeepWhatIsDestroyed) {
  ASSERT_EQ(ab_init(), AB_OK);
  ABMatrix a = ab_matrix_create(2, 2);
  ASSERT_NE(a, nullptr);
  {
    const std::vector<capi::Hold> holds = capi::holds_on(capi::real_product(a, a, a));
    EXPECT_EQ(a->holders, 4);
    ab_matrix_destroy(a);
    EXPECT_EQ(a->holders, 3);
    EXPECT_EQ(a->rows, 2);  // still there
  }
  ab_shutdown();
}

}  // namespace
}  // namespace ab::test
