// SPDX-License-Identifier: MIT
// The CBLAS names: both storage orders, enums, and the caller's positions in our own message.
#include <gtest/gtest.h>

#include "blas/faked_layers.hpp"
#include "blas/fronts.hpp"

namespace ab::blas {
namespace {

using test::faked;
using test::Matrices2;

class CblasTest : public testing::Test {
 protected:
  void SetUp() override {
    test::reset();
    faked().has_host_blas = false;
    faked().host_memory_gone = true;
  }
};

constexpr int col_major = 102, row_major = 101, none = 111, trans = 112, conj_trans = 113;

template <Scalar T>
T entry(const std::vector<T>& x, int order, int op, int ld, std::pair<int, int> at) {
  auto [i, j] = at;
  if (op != none) std::swap(i, j);
  const T value = x[static_cast<std::size_t>(order == col_major ? i + j * ld : i * ld + j)];
  if constexpr (std::same_as<T, Complex>) {
    if (op == conj_trans) return std::conj(value);
  }
  return value;
}

template <Scalar T, class Call>
void expect_products(T alpha, T beta, Call call) {
  constexpr int m = 2, n = 3, k = 4, ld = 4;
  for (const int order : {col_major, row_major}) {
    for (const int ta : {none, trans, conj_trans}) {
      for (const int tb : {none, trans, conj_trans}) {
        Matrices2<T> x;
        std::vector<T> want = x.c;
        for (int i = 0; i < m; ++i) {
          for (int j = 0; j < n; ++j) {
            T sum = 0;
            for (int l = 0; l < k; ++l) sum += entry(x.a, order, ta, ld, {i, l}) * entry(x.b, order, tb, ld, {l, j});
            T& out = want[static_cast<std::size_t>(order == col_major ? i + j * ld : i * ld + j)];
            out = alpha * sum + beta * out;
          }
        }
        call(order, ta, tb, x);
        EXPECT_EQ(x.c, want) << order << " " << ta << " " << tb;
      }
    }
  }
}

TEST_F(CblasTest, BothOrdersAndEveryPairOfOperations) {
  expect_products<double>(-2, 3, [](int order, int ta, int tb, Matrices2<double>& x) {
    cblas_dgemm(order, ta, tb, 2, 3, 4, -2, x.a.data(), 4, x.b.data(), 4, 3, x.c.data(), 4);
  });
  const Complex alpha(1, 2), beta(-1, 1);
  expect_products<Complex>(alpha, beta, [&](int order, int ta, int tb, Matrices2<Complex>& x) {
    cblas_zgemm(order, ta, tb, 2, 3, 4, &alpha, x.a.data(), 4, x.b.data(), 4, &beta, x.c.data(), 4);
  });
}

TEST_F(CblasTest, OurOwnMessageGivesTheCallersPositionsAndNames) {
  const struct {
    int order, ta, tb, m, n, k, lda, ldb, ldc;
    const char* line;
  } rows[] = {{100, none, none, 2, 2, 2, 2, 2, 2, "parameter number  1 had an illegal value (order = 100, expected 101 or 102)"},
              {102, 114, none, 2, 2, 2, 2, 2, 2, "parameter number  2 had an illegal value (transA = 114, expected 111, 112 or 113)"},
              {101, none, 78, 2, 2, 2, 2, 2, 2, "parameter number  3 had an illegal value (transB = 78, expected 111, 112 or 113)"},
              {102, none, none, -1, 2, 2, 2, 2, 2, "parameter number  4 had an illegal value (m = -1, expected >= 0)"},
              {101, none, none, -1, 2, 2, 2, 2, 2, "parameter number  4 had an illegal value (m = -1, expected >= 0)"},
              {101, none, none, 2, -1, 2, 2, 2, 2, "parameter number  5 had an illegal value (n = -1, expected >= 0)"},
              {101, none, none, 2, 2, -1, 2, 2, 2, "parameter number  6 had an illegal value (k = -1, expected >= 0)"},
              {102, none, none, 3, 2, 2, 2, 2, 3, "parameter number  9 had an illegal value (lda = 2, expected >= 3)"},
              {101, none, none, 2, 2, 3, 2, 2, 2, "parameter number  9 had an illegal value (lda = 2, expected >= 3)"},
              {101, none, none, 2, 3, 2, 2, 2, 3, "parameter number 11 had an illegal value (ldb = 2, expected >= 3)"},
              {102, none, none, 2, 2, 3, 2, 2, 2, "parameter number 11 had an illegal value (ldb = 2, expected >= 3)"},
              {101, none, none, 2, 3, 2, 2, 3, 2, "parameter number 14 had an illegal value (ldc = 2, expected >= 3)"},
              {102, none, none, 3, 2, 2, 3, 2, 2, "parameter number 14 had an illegal value (ldc = 2, expected >= 3)"}};
  for (const auto& row : rows) {
    Matrices2<double> x;
    const std::vector<double> before = x.c;
    testing::internal::CaptureStderr();
    cblas_dgemm(row.order, row.ta, row.tb, row.m, row.n, row.k, 1, x.a.data(), row.lda, x.b.data(), row.ldb, 0, x.c.data(), row.ldc);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), std::string(" ** On entry to cblas_dgemm ") + row.line + "\n");
    EXPECT_EQ(x.c, before);
  }
}

}  // namespace
}  // namespace ab::blas
