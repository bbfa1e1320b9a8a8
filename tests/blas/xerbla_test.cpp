// SPDX-License-Identifier: MIT
// Programs with handlers of their own: this one defines both. What they receive is what Netlib's testers expect (spec 4.3).
#include "blas/xerbla.hpp"

#include <gtest/gtest.h>

#include <cstdarg>
#include <string>

#include "blas/faked_layers.hpp"
#include "blas/fronts.hpp"

namespace {

struct Received {
  int calls = 0;
  int info = 0;
  std::string name;
};
Received fortran, cblas;
bool handlers_throw = false;

}  // namespace

extern "C" {
void xerbla_(const char* name, const int* info, std::size_t length) {
  fortran = {fortran.calls + 1, *info, std::string(name, length)};
  if (handlers_throw) throw *info;
}
void cblas_xerbla(int info, const char* name, const char*, ...) {
  cblas = {cblas.calls + 1, info, name};
  if (handlers_throw) throw info;
}
}

namespace ab::blas {
namespace {

class XerblaTest : public testing::Test {
 protected:
  void SetUp() override {
    test::reset();
    fortran = {};
    cblas = {};
    testing::internal::CaptureStderr();
  }
  void TearDown() override { EXPECT_EQ(testing::internal::GetCapturedStderr(), ""); }  // a handler speaks for itself

  void expect_fortran(int info, const char* name) {
    EXPECT_EQ(fortran.calls, 1);
    EXPECT_EQ(fortran.info, info);
    EXPECT_EQ(fortran.name, name);
    EXPECT_EQ(cblas.calls, 0);
    fortran = {};
  }
  void expect_cblas(int info, const char* name) {
    EXPECT_EQ(cblas.calls, 1);
    EXPECT_EQ(cblas.info, info);
    EXPECT_EQ(cblas.name, name);
    EXPECT_EQ(fortran.calls, 0);
    cblas = {};
  }

  double x_[16] = {};
  Complex z_[16] = {};
};

TEST_F(XerblaTest, FortranNumbersAndPaddedNames) {
  const struct {
    const char *ta, *tb;
    test::Sizes s;
    int info;
  } rows[] = {{"/", "N", {}, 1},          {"N", "/", {}, 2},         {"N", "N", {.m = -1}, 3},  {"N", "N", {.n = -1}, 4},
              {"N", "N", {.k = -1}, 5},   {"N", "N", {.lda = 1}, 8}, {"T", "N", {.lda = 3}, 8}, {"N", "N", {.ldb = 3}, 10},
              {"N", "C", {.ldb = 2}, 10}, {"N", "N", {.ldc = 1}, 13}};
  for (const auto& [ta, tb, s, info] : rows) {
    const double one = 1;
    dgemm_(ta, tb, &s.m, &s.n, &s.k, &one, x_, &s.lda, x_, &s.ldb, &one, x_, &s.ldc);
    expect_fortran(info, "DGEMM ");
    const Complex z_one = 1;
    zgemm_(ta, tb, &s.m, &s.n, &s.k, &z_one, z_, &s.lda, z_, &s.ldb, &z_one, z_, &s.ldc);
    expect_fortran(info, "ZGEMM ");
    ab_dgemm_blas(*ta, *tb, s.m, s.n, s.k, 1, x_, s.lda, x_, s.ldb, 1, x_, s.ldc);
    expect_fortran(info, "DGEMM ");
  }
}

TEST_F(XerblaTest, EnumsOfCblasGoToItsHandlerByPosition) {
  const Complex one = 1;
  cblas_dgemm(0, 111, 111, -1, 2, 2, 1, x_, 1, x_, 1, 1, x_, 1);
  expect_cblas(1, "cblas_dgemm");
  for (const int order : {101, 102}) {
    cblas_dgemm(order, 114, 0, -1, 2, 2, 1, x_, 1, x_, 1, 1, x_, 1);
    expect_cblas(2, "cblas_dgemm");
    cblas_zgemm(order, 113, 110, -1, 2, 2, &one, z_, 1, z_, 1, &one, z_, 1);
    expect_cblas(3, "cblas_zgemm");
  }
}

TEST_F(XerblaTest, SizesOfCblasGoToXerblaWithTheNumbersOfTheColumnMajorCall) {
  const struct {
    int order, m, n, k, lda, ldb, ldc, info;
  } rows[] = {{102, -1, 2, 2, 2, 2, 2, 3},  {101, -1, 2, 2, 2, 2, 2, 4}, {102, 2, -1, 2, 2, 2, 2, 4}, {101, 2, -1, 2, 2, 2, 2, 3},
              {101, -1, -1, 2, 2, 2, 2, 3}, {102, 3, 2, 2, 2, 2, 3, 8},  {101, 2, 2, 3, 2, 2, 2, 10}, {101, 2, 3, 2, 2, 2, 3, 8},
              {102, 2, 2, 3, 2, 2, 2, 10},  {101, 2, 3, 2, 2, 3, 2, 13}, {102, 3, 2, 2, 3, 2, 2, 13}};
  for (const auto& [order, m, n, k, lda, ldb, ldc, info] : rows) {
    cblas_dgemm(order, 111, 111, m, n, k, 1, x_, lda, x_, ldb, 1, x_, ldc);
    expect_fortran(info, "DGEMM ");
  }
}

TEST_F(XerblaTest, AHandlerMayLeaveByAnException) {
  handlers_throw = true;
  EXPECT_THROW(ab_dgemm_blas('N', 'N', -1, 0, 0, 1, x_, 1, x_, 1, 1, x_, 1), int);
  EXPECT_THROW(cblas_dgemm(0, 111, 111, 2, 2, 2, 1, x_, 1, x_, 1, 1, x_, 1), int);
  EXPECT_THROW(cblas_dgemm(101, 111, 111, -2, 2, 2, 1, x_, 1, x_, 1, 1, x_, 1), int);
  handlers_throw = false;
}

TEST_F(XerblaTest, ALegalCallReachesNoHandler) {
  ab_dgemm_blas('N', 'N', 0, 0, 0, 1, x_, 1, x_, 1, 1, x_, 1);
  EXPECT_EQ(fortran.calls + cblas.calls, 0);
}

}  // namespace
}  // namespace ab::blas
