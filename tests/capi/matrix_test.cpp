// SPDX-License-Identifier: MIT
// Matrices: what may be created, transfers bit for bit, elementwise IEEE arithmetic, refusals that change nothing.
#include <climits>
#include <cmath>
#include <limits>

#include "handles.hpp"

namespace ab::test {
namespace {

using Matrices = Initialized;
using Values = std::vector<double>;
constexpr double inf = std::numeric_limits<double>::infinity();

double word(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}

Values special_values() {
  return {0.0,
          -0.0,
          word(1),
          word(0x800FFFFFFFFFFFFF),  // subnormals
          word(0x7FEFFFFFFFFFFFFF),
          inf,
          -inf,
          word(0x7FF8000000000000),
          word(0xFFF8000000000123),  // quiet NaN with a payload
          word(0x7FF0000000000001),  // signalling NaNs
          word(0xFFF7FFFFFFFFFFFF),
          1.0 / 3.0};
}

TEST(MatricesBeforeInit, CreateGivesNull) {
  EXPECT_EQ(ab_matrix_create(2, 2), nullptr);
  EXPECT_STREQ(ab_last_error(), "ab_matrix_create: the library is not initialised: call ab_init first");
}

TEST(MatricesBeforeInit, DimensionsAreCheckedFirst) {
  EXPECT_EQ(ab_matrix_create(0, 2), nullptr);
  EXPECT_STREQ(ab_last_error(), "ab_matrix_create: the matrix is 0x2: rows and cols must be positive");
}

TEST_F(Matrices, CreateRefusesBadDimensions) {
  const int big = 46341;
  const std::vector<std::pair<std::pair<int, int>, std::string>> refused = {
      {{0, 1}, "ab_matrix_create: the matrix is 0x1: rows and cols must be positive"},
      {{1, 0}, "ab_matrix_create: the matrix is 1x0: rows and cols must be positive"},
      {{-3, -3}, "ab_matrix_create: the matrix is -3x-3: rows and cols must be positive"},
      {{INT_MIN, 2}, "ab_matrix_create: the matrix is -2147483648x2: rows and cols must be positive"},
      {{big, big}, "ab_matrix_create: the matrix is 46341x46341: more than 2^31 - 1 elements"},
      {{INT_MAX, INT_MAX}, "ab_matrix_create: the matrix is 2147483647x2147483647: more than 2^31 - 1 elements"}};
  for (const auto& [shape, text] : refused) {
    EXPECT_EQ(ab_matrix_create(shape.first, shape.second), nullptr);
    EXPECT_EQ(ab_last_error(), text);
  }
}

TEST_F(Matrices, LegalShapesOfTheSpecification) {
  for (const auto& [rows, cols] : {std::pair(1000, 100), std::pair(46340, 1)}) {
    const Matrix matrix(rows, cols);
    int r = 0, c = 0;
    ab_matrix_dims(matrix, &r, &c);
    EXPECT_EQ(r, rows);
    EXPECT_EQ(c, cols);
    EXPECT_EQ(ab_matrix_count(matrix), static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  }
}

TEST_F(Matrices, NullIsHarmlessWhereTheHeaderSaysSo) {
  int rows = 7, cols = 8;
  ab_matrix_dims(nullptr, &rows, &cols);
  EXPECT_EQ(rows, 7);
  EXPECT_EQ(cols, 8);
  EXPECT_EQ(ab_matrix_count(nullptr), 0u);
  ab_matrix_destroy(nullptr);
  const Matrix matrix(3, 4);
  ab_matrix_dims(matrix, nullptr, &cols);
  EXPECT_EQ(cols, 4);
  ab_matrix_dims(matrix, &rows, nullptr);
  EXPECT_EQ(rows, 3);
}

TEST_F(Matrices, EveryBitComesBack) {
  const Values special = special_values();
  const Matrix matrix(3, 4, special), copied(3, 4);
  Words want;
  for (double value : special) want.push_back(std::bit_cast<std::uint64_t>(value));
  EXPECT_EQ(matrix.words(), want);
  ASSERT_EQ(ab_matrix_copy(matrix, copied), AB_OK);
  EXPECT_EQ(copied.words(), want);
  ASSERT_EQ(ab_matrix_copy(copied, copied), AB_OK);
  EXPECT_EQ(copied.words(), want);
}

TEST_F(Matrices, ZeroIsPlusZeroAndDefinesContents) {
  const Matrix fresh(5, 3), full(1, 2, {-0.0, 7.0});
  ASSERT_EQ(ab_matrix_zero(fresh), AB_OK);
  ASSERT_EQ(ab_matrix_zero(full), AB_OK);
  EXPECT_EQ(fresh.words(), Words(15, 0));
  EXPECT_EQ(full.words(), Words(2, 0));
}

TEST_F(Matrices, AddSubtractAndScaleAreIeee) {
  const Values x = {1.0, 1e308, -0.0, 0x1p-1074, 3.0, inf}, y = {0x1p-53, 1e308, -0.0, 0x1p-1074, -3.0, -1.0};
  const Matrix a(2, 3, x), b(2, 3, y), c(2, 3);
  ASSERT_EQ(ab_matrix_add(a, b, c), AB_OK);
  Words sum, difference, scaled;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum.push_back(std::bit_cast<std::uint64_t>(x[i] + y[i]));
    difference.push_back(std::bit_cast<std::uint64_t>(x[i] - y[i]));
    scaled.push_back(std::bit_cast<std::uint64_t>((1.0 / 3.0) * x[i]));
  }
  EXPECT_EQ(c.words(), sum);
  ASSERT_EQ(ab_matrix_sub(a, b, b), AB_OK);  // C may be B
  EXPECT_EQ(b.words(), difference);
  ASSERT_EQ(ab_matrix_scale(1.0 / 3.0, a), AB_OK);
  EXPECT_EQ(a.words(), scaled);
  ASSERT_EQ(ab_matrix_add(c, c, c), AB_OK);  // all three one
  EXPECT_EQ(c.contents().value()[4], 0.0);
}

TEST_F(Matrices, ScaleByZeroKeepsNanAndInf) {
  const Matrix matrix(1, 3, {inf, -2.0, std::nan("")});
  ASSERT_EQ(ab_matrix_scale(0.0, matrix), AB_OK);
  const Values got = matrix.contents().value();
  EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[2]));
  EXPECT_TRUE(got[1] == 0.0 && std::signbit(got[1]));
}

TEST_F(Matrices, RefusalsChangeNothing) {
  const Matrix a(2, 3, counted(2, 3)), same(2, 3, counted(2, 3, 9)), other(3, 2, counted(3, 2)), fresh(2, 3);
  Values data(6, -1.0);
  const std::string null = " is NULL, expected a matrix", none = " has no contents: upload, zero or compute it first";
  const std::vector<Refusal> refusals = {
      {[&] { return ab_matrix_upload(nullptr, data.data(), false); }, AB_ERROR_INVALID_ARG, "ab_matrix_upload: the matrix" + null},
      {[&] { return ab_matrix_upload(a, nullptr, true); }, AB_ERROR_INVALID_ARG,
       "ab_matrix_upload: data is NULL, expected rows * cols doubles"},
      {[&] { return ab_matrix_download(nullptr, data.data(), false); }, AB_ERROR_INVALID_ARG, "ab_matrix_download: the matrix" + null},
      {[&] { return ab_matrix_download(a, nullptr, false); }, AB_ERROR_INVALID_ARG,
       "ab_matrix_download: data is NULL, expected rows * cols doubles"},
      {[&] { return ab_matrix_download(fresh, data.data(), false); }, AB_ERROR_NOT_UPLOADED, "ab_matrix_download: the matrix" + none},
      {[&] { return ab_matrix_zero(nullptr); }, AB_ERROR_INVALID_ARG, "ab_matrix_zero: the matrix" + null},
      {[&] { return ab_matrix_copy(nullptr, a); }, AB_ERROR_INVALID_ARG, "ab_matrix_copy: src" + null},
      {[&] { return ab_matrix_copy(a, nullptr); }, AB_ERROR_INVALID_ARG, "ab_matrix_copy: dst" + null},
      {[&] { return ab_matrix_copy(fresh, other); }, AB_ERROR_DIMENSION_MISMATCH, "ab_matrix_copy: src is 2x3, dst is 3x2: shapes differ"},
      {[&] { return ab_matrix_copy(fresh, a); }, AB_ERROR_NOT_UPLOADED, "ab_matrix_copy: src" + none},
      {[&] { return ab_matrix_add(a, same, other); }, AB_ERROR_DIMENSION_MISMATCH, "ab_matrix_add: A is 2x3, C is 3x2: shapes differ"},
      {[&] { return ab_matrix_add(a, fresh, same); }, AB_ERROR_NOT_UPLOADED, "ab_matrix_add: B" + none},
      {[&] { return ab_matrix_sub(a, nullptr, same); }, AB_ERROR_INVALID_ARG, "ab_matrix_sub: B" + null},
      {[&] { return ab_matrix_sub(other, a, same); }, AB_ERROR_DIMENSION_MISMATCH, "ab_matrix_sub: A is 3x2, B is 2x3: shapes differ"},
      {[&] { return ab_matrix_scale(2.0, nullptr); }, AB_ERROR_INVALID_ARG, "ab_matrix_scale: A" + null},
      {[&] { return ab_matrix_scale(2.0, fresh); }, AB_ERROR_NOT_UPLOADED, "ab_matrix_scale: A" + none},
  };
  expect_refusals(refusals, {&a, &same, &other, &fresh});
  EXPECT_EQ(data, Values(6, -1.0));
}

TEST_F(Matrices, AfterAShutdownOnlyDestructionIsLeft) {
  const Matrix a(2, 2, {1, 2, 3, 4}), b(2, 2, {1, 2, 3, 4});
  Values data(4, -1.0);
  ab_shutdown();
  ASSERT_EQ(ab_init(), AB_OK);
  const Matrix alive(2, 2, {5, 6, 7, 8});
  const std::vector<std::function<ABStatus()>> calls = {
      [&] { return ab_matrix_upload(a, data.data(), false); },
      [&] { return ab_matrix_download(a, data.data(), false); },
      [&] { return ab_matrix_zero(a); },
      [&] { return ab_matrix_copy(alive, a); },
      [&] { return ab_matrix_copy(a, alive); },
      [&] { return ab_matrix_add(alive, a, alive); },
      [&] { return ab_matrix_scale(2.0, a); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i](), AB_ERROR_NO_DEVICE) << i;
  EXPECT_EQ(data, Values(4, -1.0));
  EXPECT_EQ(alive.contents(), (Values{5, 6, 7, 8}));
  EXPECT_EQ(ab_matrix_count(a), 4u);
}

}  // namespace
}  // namespace ab::test
