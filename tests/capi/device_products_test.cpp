// SPDX-License-Identifier: MIT
// Products on device buffers: bits of the handle API for every transpose, offset and leading dimension; checks in order; vectors.
#include <cmath>

#include "dev_buffer.hpp"
#include "handles.hpp"
#include "support/random.hpp"

namespace ab::test {
namespace {

using Values = std::vector<double>;
using DeviceProducts = Initialized;

Values random_values(int count, std::uint64_t start) {
  Random random(start);
  Values values(static_cast<std::size_t>(count));
  for (double& value : values) value = random.tail(3);
  return values;
}

struct Stored {  // op(X) rows x cols, column-major with padding, behind an offset; words 1 or 2
  int rows, cols, words, ld, offset;
  bool plain;
  Values data;
  Stored(int op_rows, int op_cols, int element, ABTranspose op, std::uint64_t start)
      : rows(op_rows), cols(op_cols), words(element), plain(op == AB_NO_TRANS) {
    ld = (plain ? rows : cols) + 2;
    offset = 3;
    data = random_values((offset + ld * (plain ? cols : rows)) * words, start);
  }
  double at(int i, int j, int part) const {  // of op(X), not conjugated
    const int place = offset + (plain ? j * ld + i : i * ld + j);
    return data[static_cast<std::size_t>(place * words + part)];
  }
  Values row_major(int part, double sign = 1) const {
    Values out;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) out.push_back(sign * at(i, j, part));
    }
    return out;
  }
};

constexpr int m = 5, n = 4, k = 23, ldc = 7, c_offset = 2;

void expect_result(const Values& before, const Values& after, const Values& want, int words, int part) {
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < ldc; ++i) {
      const auto at = static_cast<std::size_t>((c_offset + j * ldc + i) * words + part);
      if (at >= before.size()) continue;
      EXPECT_EQ(after[at], i < m ? want[static_cast<std::size_t>(i * n + j)] : before[at]) << i << " " << j << " " << part;
    }
  }
  for (std::size_t at = 0; at < static_cast<std::size_t>(c_offset * words); ++at) EXPECT_EQ(after[at], before[at]);
}

TEST_F(DeviceProducts, RealProductsHaveTheBitsOfHandles) {
  for (ABTranspose ta : {AB_NO_TRANS, AB_TRANS, AB_CONJ_TRANS}) {
    for (ABTranspose tb : {AB_NO_TRANS, AB_TRANS, AB_CONJ_TRANS}) {
      const Stored a(m, k, 1, ta, 1), b(k, n, 1, tb, 2);
      const Values before = random_values(c_offset + (n - 1) * ldc + m, 3);
      const Buffer x(a.data), y(b.data), z(before);
      ASSERT_EQ(ab_dev_dgemm_offset(ta, tb, m, n, k, 1.5, x, 3, a.ld, y, 3, b.ld, -0.5, z, c_offset, ldc), AB_OK) << ab_last_error();
      Values c;
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) c.push_back(before[static_cast<std::size_t>(c_offset + j * ldc + i)]);
      }
      const Matrix am(m, k, a.row_major(0)), bm(k, n, b.row_major(0)), cm(m, n, c);
      ASSERT_EQ(ab_dgemm_scaled(1.5, am, bm, -0.5, cm), AB_OK);
      expect_result(before, z.values(), cm.contents().value(), 1, 0);
    }
  }
}

TEST_F(DeviceProducts, ComplexProductsHaveTheBitsOfHandles) {
  const double one[] = {1, 0}, zero[] = {0, 0};
  for (ABTranspose ta : {AB_NO_TRANS, AB_TRANS, AB_CONJ_TRANS}) {
    for (ABTranspose tb : {AB_NO_TRANS, AB_TRANS, AB_CONJ_TRANS}) {
      const Stored a(m, k, 2, ta, 4), b(k, n, 2, tb, 5);
      const Values before = random_values(2 * (c_offset + (n - 1) * ldc + m), 6);
      const Buffer x(a.data), y(b.data), z(before);
      ASSERT_EQ(ab_dev_zgemm_offset(ta, tb, m, n, k, one, x, 3, a.ld, y, 3, b.ld, zero, z, c_offset, ldc), AB_OK) << ab_last_error();
      const double sa = ta == AB_CONJ_TRANS ? -1 : 1, sb = tb == AB_CONJ_TRANS ? -1 : 1;
      const Matrix ar(m, k, a.row_major(0)), ai(m, k, a.row_major(1, sa)), br(k, n, b.row_major(0)), bi(k, n, b.row_major(1, sb)), cr(m, n),
          ci(m, n);
      ASSERT_EQ(ab_zgemm(ar, ai, br, bi, cr, ci), AB_OK);
      expect_result(before, z.values(), cr.contents().value(), 2, 0);
      expect_result(before, z.values(), ci.contents().value(), 2, 1);
    }
  }
}

TEST_F(DeviceProducts, ScalarsAreComplexAndQuickReturnsReadNothing) {
  const Buffer a(Values{1, 2}), b(Values{3, -1}), c(Values{5, 7}), tiny(8);
  const double alpha[] = {2, 1}, beta[] = {0, 1}, one[] = {1, 0}, zero[] = {0, 0};
  ASSERT_EQ(ab_dev_zgemm(AB_NO_TRANS, AB_NO_TRANS, 1, 1, 1, alpha, a, 1, b, 1, beta, c, 1), AB_OK);
  EXPECT_EQ(c.values(), (Values{-2, 20}));  // (2 + i)(1 + 2i)(3 - i) + i (5 + 7i) = 5 + 15i - 7 + 5i
  ASSERT_EQ(ab_dev_zgemm(AB_NO_TRANS, AB_NO_TRANS, 1, 1, 0, alpha, tiny, 1, tiny, 1, one, tiny, 1), AB_OK);
  ASSERT_EQ(ab_dev_zgemm(AB_NO_TRANS, AB_NO_TRANS, 1, 1, 9, zero, tiny, 1, tiny, 9, beta, c, 1), AB_OK);  // a and b are not read
  EXPECT_EQ(c.values(), (Values{-20, -2}));
  ASSERT_EQ(ab_dev_dgemm(AB_NO_TRANS, AB_NO_TRANS, 2, 1, 0, 1, tiny, 2, tiny, 1, 0, c, 2), AB_OK);
  EXPECT_EQ(c.values(), (Values{0, 0}));
  EXPECT_EQ(ab_get_stats().zgemm_count, 1u);
  EXPECT_EQ(ab_get_stats().dgemm_count, 0u);
}

TEST_F(DeviceProducts, OperandsMayInterleaveInOneBuffer) {
  // Three 2x2 blocks side by side in one 2x6 matrix, and a result in rows between others.
  const Buffer all(Values{1, 3, 2, 4, 5, 7, 6, 8, 9, 9, 9, 9});
  ASSERT_EQ(ab_dev_dgemm_offset(AB_NO_TRANS, AB_NO_TRANS, 2, 2, 2, 1, all, 0, 2, all, 4, 2, 0, all, 8, 2), AB_OK);
  EXPECT_EQ(all.values(), (Values{1, 3, 2, 4, 5, 7, 6, 8, 19, 43, 22, 50}));
  ASSERT_EQ(ab_dev_dgemm_offset(AB_NO_TRANS, AB_NO_TRANS, 2, 2, 2, 1, all, 0, 2, all, 8, 2, 0, all, 4, 2), AB_OK);  // new contents
  EXPECT_EQ(all.values(), (Values{1, 3, 2, 4, 105, 229, 122, 266, 19, 43, 22, 50}));
}

TEST_F(DeviceProducts, RefuseInOrderAndChangeNothing) {
  const Buffer a(Values(12, 1.0)), b(Values(12, 1.0)), c(Values(12, 2.0));
  const double one[] = {1, 0};
  const auto bad = static_cast<ABTranspose>(5);
  const auto no = AB_NO_TRANS;
  const std::vector<Refusal> refusals = {
      {[&] { return ab_dev_dgemm(bad, no, -1, 0, 0, 1, nullptr, 0, b, 0, 1, c, 0); }, AB_ERROR_INVALID_ARG,
       "ab_dev_dgemm: A is NULL, expected a buffer"},
      {[&] { return ab_dev_zgemm(bad, no, 0, 0, 0, nullptr, a, 0, b, 0, one, c, 0); }, AB_ERROR_INVALID_ARG, "ab_dev_zgemm: alpha is NULL"},
      {[&] { return ab_dev_zgemm(bad, no, 0, 0, 0, one, a, 0, b, 0, nullptr, c, 0); }, AB_ERROR_INVALID_ARG, "ab_dev_zgemm: beta is NULL"},
      {[&] { return ab_dev_dgemm(bad, no, -1, 0, 0, 1, a, 0, b, 0, 1, c, 0); }, AB_ERROR_INVALID_ARG,
       "ab_dev_dgemm: transA is 5, expected 0, 1 or 2"},
      {[&] { return ab_dev_dgemm(no, bad, -1, 0, 0, 1, a, 0, b, 0, 1, c, 0); }, AB_ERROR_INVALID_ARG,
       "ab_dev_dgemm: transB is 5, expected 0, 1 or 2"},
      {[&] { return ab_dev_dgemm(no, no, -1, 0, 0, 1, a, 0, b, 0, 1, c, 0); }, AB_ERROR_INVALID_ARG,
       "ab_dev_dgemm: m is -1, expected at least 0"},
      {[&] { return ab_dev_dgemm(no, no, 3, -2, 0, 1, a, 0, b, 0, 1, c, 0); }, AB_ERROR_INVALID_ARG,
       "ab_dev_dgemm: n is -2, expected at least 0"},
      {[&] { return ab_dev_dgemm(no, no, 3, 2, -4, 1, a, 0, b, 0, 1, c, 0); }, AB_ERROR_INVALID_ARG,
       "ab_dev_dgemm: k is -4, expected at least 0"},
      {[&] { return ab_dev_dgemm(no, no, 3, 2, 4, 1, a, 2, b, 0, 1, c, 0); }, AB_ERROR_INVALID_ARG,
       "ab_dev_dgemm: lda is 2, expected at least 3"},
      {[&] { return ab_dev_dgemm(no, AB_TRANS, 3, 2, 4, 1, a, 3, b, 1, 1, c, 0); }, AB_ERROR_INVALID_ARG,
       "ab_dev_dgemm: ldb is 1, expected at least 2"},
      {[&] { return ab_dev_dgemm(no, no, 0, 2, 4, 1, a, 1, b, 4, 1, c, 0); }, AB_ERROR_INVALID_ARG,
       "ab_dev_dgemm: ldc is 0, expected at least 1"},
      {[&] { return ab_dev_dgemm_offset(no, no, 3, 2, 4, 1, a, 1, 3, b, 0, 4, 1, c, 0, 3); }, AB_ERROR_INVALID_ARG,
       "ab_dev_dgemm_offset: A has 12 elements: 12 from 1 on are not inside"},
      {[&] { return ab_dev_dgemm_offset(no, no, 3, 2, 4, 1, a, 0, 3, b, 0, 9, 1, c, 0, 3); }, AB_ERROR_INVALID_ARG,
       "ab_dev_dgemm_offset: B has 12 elements: 13 from 0 on are not inside"},
      {[&] { return ab_dev_dgemm_offset(no, no, 3, 2, 4, 1, a, 0, 3, b, 0, 4, 1, c, SIZE_MAX, 3); }, AB_ERROR_INVALID_ARG,
       "ab_dev_dgemm_offset: C has 12 elements: 6 from 18446744073709551615 on are not inside"},
      {[&] { return ab_dev_zgemm(no, no, 3, 3, 1, one, a, 3, b, 1, one, c, 3); }, AB_ERROR_INVALID_ARG,
       "ab_dev_zgemm: C has 6 complex elements: 9 from 0 on are not inside"},
  };
  expect_refusals(refusals, {});
  EXPECT_EQ(c.values(), Values(12, 2.0));
  ab_shutdown();
  EXPECT_EQ(ab_dev_dgemm(no, no, 3, 2, 4, 1, a, 3, b, 4, 1, c, 3), AB_ERROR_NO_DEVICE);
  EXPECT_EQ(ab_dev_dgemm_offset(no, no, 3, 2, 4, 1, a, 99, 3, b, 0, 4, 1, c, 0, 3), AB_ERROR_NO_DEVICE);  // the context before spans
  EXPECT_EQ(ab_dev_dgemm(no, no, 0, 2, 4, 1, a, 3, b, 4, 1, c, 3), AB_OK);  // quick returns before the context
  EXPECT_EQ(ab_dev_dgemm(no, no, 3, 0, 4, 1, a, 3, b, 4, 2, c, 3), AB_OK);
  EXPECT_EQ(ab_dev_dgemm(no, no, 3, 2, 0, 1, a, 3, b, 4, 1, c, 3), AB_OK);
  EXPECT_EQ(ab_dev_dgemm(no, no, 3, 2, 4, 0, a, 3, b, 4, 1, c, 3), AB_OK);
  EXPECT_EQ(ab_dev_dgemm(no, no, 3, 2, 0, 1, a, 3, b, 4, 2, c, 3), AB_ERROR_NO_DEVICE);  // C = 2 C
}

TEST_F(DeviceProducts, TheClassAndTheReportAreThoseOfTheThread) {
  const Buffer a(Values(16, 0.5)), c(Values(16, 0.0));
  ASSERT_EQ(ab_set_precision(AB_PRECISION_DD), AB_OK);
  ASSERT_EQ(ab_dev_dgemm(AB_NO_TRANS, AB_NO_TRANS, 4, 4, 4, 1, a, 4, a, 4, 0, c, 4), AB_OK);
  ASSERT_EQ(ab_set_precision(AB_PRECISION_DEFAULT), AB_OK);
  ABProduct product = {};
  product.struct_size = sizeof product;
  ASSERT_EQ(ab_last_product(&product), AB_OK);
  EXPECT_EQ(product.scheme, AB_SCHEME_DD);
  EXPECT_STREQ(product.route_reason, "resident");
  EXPECT_EQ(ab_get_stats().dgemm_count, 1u);
}

TEST_F(DeviceProducts, ComplexVectors) {
  const Buffer x(Values{1, 2, 3, 4, 5, 6}), y(Values{10, 0, 20, 0, 30, 0});
  const double alpha[] = {0, 1};
  ASSERT_EQ(ab_dev_conjg_c(x, 1, 2), AB_OK);
  EXPECT_EQ(x.values(), (Values{1, 2, 3, -4, 5, -6}));
  ASSERT_EQ(ab_dev_scale_z(x, 0, 1, alpha), AB_OK);
  EXPECT_EQ(x.values(), (Values{-2, 1, 3, -4, 5, -6}));
  ASSERT_EQ(ab_dev_axpy_z(2, alpha, x, 0, -2, y, 1, 1), AB_OK);  // x backwards: third, first
  EXPECT_EQ(y.values(), (Values{10, 0, 26, 5, 29, -2}));
  ASSERT_EQ(ab_dev_axpy_z(3, alpha, x, 1, 0, y, 0, 0), AB_OK);  // 3 times i (3 - 4i)
  EXPECT_EQ(y.values(), (Values{22, 9, 26, 5, 29, -2}));
  EXPECT_EQ(ab_dev_axpy_z(0, alpha, x, 99, 1, y, 99, 1), AB_OK);
  const std::vector<Refusal> refusals = {
      {[&] { return ab_dev_conjg_c(nullptr, 0, 0); }, AB_ERROR_INVALID_ARG, "ab_dev_conjg_c: buf is NULL, expected a buffer"},
      {[&] { return ab_dev_scale_z(x, 0, 0, nullptr); }, AB_ERROR_INVALID_ARG, "ab_dev_scale_z: alpha is NULL"},
      {[&] { return ab_dev_conjg_c(x, 2, 2); }, AB_ERROR_INVALID_ARG,
       "ab_dev_conjg_c: buf has 3 complex elements: 2 with increment 1 from 2 on are not inside"},
      {[&] { return ab_dev_conjg_c(x, 1, SIZE_MAX); }, AB_ERROR_INVALID_ARG,
       "ab_dev_conjg_c: buf has 3 complex elements: 18446744073709551615 with increment 1 from 1 on are not inside"},
      {[&] { return ab_dev_axpy_z(2, alpha, x, 0, 3, y, 0, 1); }, AB_ERROR_INVALID_ARG,
       "ab_dev_axpy_z: x has 3 complex elements: 2 with increment 3 from 0 on are not inside"},
      {[&] { return ab_dev_axpy_z(SIZE_MAX, alpha, x, 0, 0, y, 0, 0); }, AB_ERROR_INVALID_ARG,
       "ab_dev_axpy_z: x has 3 complex elements: 18446744073709551615 with increment 0 from 0 on are not inside"},
      {[&] { return ab_dev_axpy_z(2, alpha, x, 0, 1, y, 1, -2); }, AB_ERROR_INVALID_ARG,
       "ab_dev_axpy_z: y has 3 complex elements: 2 with increment -2 from 1 on are not inside"}};
  expect_refusals(refusals, {});
  EXPECT_EQ(y.values(), (Values{22, 9, 26, 5, 29, -2}));
}

}  // namespace
}  // namespace ab::test
