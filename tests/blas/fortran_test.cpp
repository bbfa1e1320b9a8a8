// SPDX-License-Identifier: MIT
// The Fortran names: letters, pointers of any alignment, scalars, and the error exits.
#include <gtest/gtest.h>

#include "blas/faked_layers.hpp"
#include "blas/fronts.hpp"
#include "core/arguments.hpp"
#include "core/thread_state.hpp"

namespace ab::blas {
namespace {

using test::faked;
using test::Matrices2;
using test::Sizes;

// Without host BLAS and device memory the library computes here, so results are those of the arguments.
class FortranTest : public testing::Test {
 protected:
  void SetUp() override {
    test::reset();
    faked().has_host_blas = false;
    faked().host_memory_gone = true;
  }
};

template <Scalar T>
T entry(const std::vector<T>& x, int ld, char letter, int i, int j) {
  const Op op = *op_of_letter(letter);
  const T value = op == Op::None ? x[static_cast<std::size_t>(i + j * ld)] : x[static_cast<std::size_t>(j + i * ld)];
  if constexpr (std::same_as<T, Complex>) {
    if (op == Op::ConjugateTranspose) return std::conj(value);
  }
  return value;
}

template <Scalar T>
std::vector<T> expected(const Matrices2<T>& x, char ta, char tb, T alpha, T beta, const Sizes& s) {
  std::vector<T> c = x.c;
  for (int j = 0; j < s.n; ++j) {
    for (int i = 0; i < s.m; ++i) {
      T sum = 0;
      for (int l = 0; l < s.k; ++l) sum += entry(x.a, s.lda, ta, i, l) * entry(x.b, s.ldb, tb, l, j);
      T& out = c[static_cast<std::size_t>(i + j * s.ldc)];
      out = alpha * sum + beta * out;
    }
  }
  return c;
}

template <Scalar T, class Gemm>
void expect_products(Gemm* gemm, T alpha, T beta) {
  for (const char* ta : {"N", "T", "C", "n", "t", "c", "Transpose"}) {
    for (const char* tb : {"N", "T", "C", "no", "conj"}) {
      Matrices2<T> x;
      const Sizes s;
      const std::vector<T> want = expected(x, *ta, *tb, alpha, beta, s);
      gemm(ta, tb, &s.m, &s.n, &s.k, &alpha, x.a.data(), &s.lda, x.b.data(), &s.ldb, &beta, x.c.data(), &s.ldc);
      EXPECT_EQ(x.c, want) << ta << tb;
    }
  }
}

TEST_F(FortranTest, EveryLetterPairOfEveryName) {
  expect_products<double>(dgemm_, -2, 0.5);
  expect_products<double>(ab_dgemm_, 1, 0);
  expect_products<Complex>(zgemm_, {1, -2}, {0, 3});
  expect_products<Complex>(ab_zgemm_, 1, 1);
}

TEST_F(FortranTest, PointersOfAnyAlignment) {
  alignas(16) std::byte room[1024];
  const auto place = [&room](std::size_t at, const auto& value) {
    std::memcpy(room + at, &value, sizeof value);
    return reinterpret_cast<std::remove_cvref_t<decltype(value)>*>(room + at);
  };
  Matrices2<double> x;
  const Sizes s;
  const std::vector<double> want = expected<double>(x, 'N', 'N', 3, 2, s);
  std::array<double, 16> a, b, c;
  std::copy(x.a.begin(), x.a.end(), a.begin());
  std::copy(x.b.begin(), x.b.end(), b.begin());
  std::copy(x.c.begin(), x.c.end(), c.begin());
  const auto first = [](auto* array) { return reinterpret_cast<double*>(array); };  // no member call on a misaligned object
  auto* c_place = place(516, c);
  dgemm_("N", "N", place(4, s.m), place(8, s.n), place(12, s.k), place(20, 3.0), first(place(100, a)), place(28, s.lda),
         first(place(260, b)), place(32, s.ldb), place(36, 2.0), first(c_place), place(44, s.ldc));
  std::memcpy(c.data(), room + 516, sizeof c);
  EXPECT_TRUE(std::equal(c.begin(), c.end(), want.begin()));
}

// Row by row with the table of tests/core/arguments_test.cpp; here: that C and the fakes stay untouched, and what is printed.
TEST_F(FortranTest, ABadArgumentIsOneLineAndNothingElse) {
  const struct {
    const char *ta, *tb;
    Sizes s;
    const char* line;
  } rows[] = {{"N", "N", {.m = 5, .lda = 3}, " ** On entry to DGEMM  parameter number  8 had an illegal value (lda = 3, expected >= 5)\n"},
              {"N", "N", {.ldc = 1}, " ** On entry to DGEMM  parameter number 13 had an illegal value (ldc = 1, expected >= 2)\n"},
              {"N", "T", {.ldb = 2}, " ** On entry to DGEMM  parameter number 10 had an illegal value (ldb = 2, expected >= 3)\n"},
              {"N", "N", {.m = -1, .n = -1}, " ** On entry to DGEMM  parameter number  3 had an illegal value (m = -1, expected >= 0)\n"},
              {"X", "Y", {}, " ** On entry to DGEMM  parameter number  1 had an illegal value (transA = 'X', expected N, T or C)\n"},
              {"N", "R", {.m = -1}, " ** On entry to DGEMM  parameter number  2 had an illegal value (transB = 'R', expected N, T or C)\n"},
              {"\n", "N", {}, " ** On entry to DGEMM  parameter number  1 had an illegal value (transA = '?', expected N, T or C)\n"},
              {"N", "N", {.m = 0, .ldc = 0}, " ** On entry to DGEMM  parameter number 13 had an illegal value (ldc = 0, expected >= 1)\n"}};
  for (const auto& [ta, tb, s, line] : rows) {
    Matrices2<double> x;
    const std::vector<double> before = x.c;
    const double one = 1, zero = 0;
    testing::internal::CaptureStderr();
    dgemm_(ta, tb, &s.m, &s.n, &s.k, &one, x.a.data(), &s.lda, x.b.data(), &s.ldb, &zero, x.c.data(), &s.ldc);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), line);
    EXPECT_EQ(std::memcmp(x.c.data(), before.data(), before.size() * sizeof(double)), 0);
  }
  EXPECT_TRUE(faked().device_calls.empty());
  EXPECT_STREQ(ab_get_last_dispatch_path(), "cpu");
}

}  // namespace
}  // namespace ab::blas
