// SPDX-License-Identifier: MIT
// Batches: groups of different shapes, arrays of pointers and strides, both storage orders, faults found before anything is written.
#include <gtest/gtest.h>

#include <numeric>

#include "blas/faked_layers.hpp"
#include "core/thread_state.hpp"

extern "C" {
void dgemm_batch_(const char*, const char*, const int*, const int*, const int*, const double*, const double* const*, const int*,
                  const double* const*, const int*, const double*, double* const*, const int*, const int*, const int*);
void zgemm_batch_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*, const ab::Complex*,
                     const ab::Complex* const*, const std::int64_t*, const ab::Complex* const*, const std::int64_t*, const ab::Complex*,
                     ab::Complex* const*, const std::int64_t*, const std::int64_t*, const std::int64_t*);
void cblas_dgemm_batch(int, const int*, const int*, const int*, const int*, const int*, const double*, const double* const*, const int*,
                       const double* const*, const int*, const double*, double* const*, const int*, int, const int*);
void cblas_zgemm_batch(int, const int*, const int*, const int*, const int*, const int*, const void*, const void* const*, const int*,
                       const void* const*, const int*, const void*, void* const*, const int*, int, const int*);
void dgemm_batch_strided_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
                          const int*, const double*, const int*, const int*, const double*, double*, const int*, const int*, const int*);
void cblas_dgemm_batch_strided(int, int, int, int, int, int, double, const double*, int, int, const double*, int, int, double, double*, int,
                               int, int);
void cblas_zgemm_batch_strided64_(int, int, int, std::int64_t, std::int64_t, std::int64_t, const void*, const void*, std::int64_t,
                                  std::int64_t, const void*, std::int64_t, std::int64_t, const void*, void*, std::int64_t, std::int64_t,
                                  std::int64_t);
}

namespace ab::blas {
namespace {

using test::faked;

class BatchTest : public testing::Test {
 protected:
  void SetUp() override {
    test::reset();
    faked().has_host_blas = false;
    faked().host_memory_gone = true;
    faked().settings.mode = Mode::Gpu;
    faked().settings.min_gpu_dim = 0;
  }
};

// Two groups: two products of 1 x 2 x 2 with A^T, one of 2 x 1 x 1.
struct Groups {
  char letters_a[2] = {'T', 'n'}, letters_b[2] = {'N', 'N'};
  int m[2] = {1, 2}, n[2] = {2, 1}, k[2] = {2, 1}, lda[2] = {2, 2}, ldb[2] = {2, 1}, ldc[2] = {1, 3}, sizes[2] = {2, 1}, count = 2;
  double alpha[2] = {1, -2}, beta[2] = {0, 1};
  double a0[2] = {1, 2}, a1[2] = {3, -1}, a2[2] = {4, 5};
  double b0[4] = {1, 2, 3, 4}, b1[4] = {1, 0, 0, 1}, b2[1] = {3};
  double c0[2] = {9, 9}, c1[2] = {9, 9}, c2[2] = {1, 1};
  const double* a[3] = {a0, a1, a2};
  const double* b[3] = {b0, b1, b2};
  double* c[3] = {c0, c1, c2};

  void run() { dgemm_batch_(letters_a, letters_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, &count, sizes); }
};

TEST_F(BatchTest, EveryGroupHasItsOwnArguments) {
  Groups x;
  x.run();
  EXPECT_EQ(x.c0[0], 5);  // (1 2) (1 2)^T
  EXPECT_EQ(x.c0[1], 11);
  EXPECT_EQ(x.c1[0], 3);
  EXPECT_EQ(x.c1[1], -1);
  EXPECT_EQ(x.c2[0], 1 - 2 * 4 * 3);
  EXPECT_EQ(x.c2[1], 1 - 2 * 5 * 3);
}

TEST_F(BatchTest, EveryGroupIsRoutedAndTheLastIsTheThreadsLast) {
  faked().has_host_blas = true;
  faked().host_memory_gone = false;
  faked().settings.min_gpu_dim = 1;
  Groups x;
  x.m[0] = 2, x.lda[0] = 2, x.ldc[0] = 2;
  double a[4] = {}, c[2][4] = {};
  x.a[0] = x.a[1] = a, x.c[0] = c[0], x.c[1] = c[1];
  x.run();
  EXPECT_EQ(c[0][0], test::by_gpu);
  EXPECT_EQ(c[1][3], test::by_gpu);
  EXPECT_EQ(x.c2[0], test::by_host);
  EXPECT_EQ(faked().host_routine, "dgemm_batch");
  EXPECT_EQ(thread_state().last_product.route_reason, Reason::BelowMinDim);
  faked().gpu_declines = Reason::Nonfinite;  // each product falls back by itself
  x.run();
  EXPECT_EQ(c[1][3], test::by_host);
}

TEST_F(BatchTest, NothingIsWrittenWhenAnyGroupIsWrong) {
  const struct {
    void (*spoil)(Groups&);
    const char* line;
  } rows[] = {{[](Groups& x) { x.letters_b[1] = 'Q'; }, "parameter number  2 had an illegal value (transB = 'Q', expected N, T or C)"},
              {[](Groups& x) { x.m[1] = -1; }, "parameter number  3 had an illegal value (m = -1, expected >= 0)"},
              {[](Groups& x) { x.ldb[1] = 0; }, "parameter number 10 had an illegal value (ldb = 0, expected >= 1)"},
              {[](Groups& x) { x.ldc[1] = 1; }, "parameter number 13 had an illegal value (ldc = 1, expected >= 2)"},
              {[](Groups& x) { x.count = -3; }, "parameter number 14 had an illegal value (group_count = -3, expected >= 0)"},
              {[](Groups& x) { x.sizes[1] = -2; }, "parameter number 15 had an illegal value (group_size = -2, expected >= 0)"}};
  for (const auto& [spoil, line] : rows) {
    Groups x;
    spoil(x);
    testing::internal::CaptureStderr();
    x.run();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), std::string(" ** On entry to DGEMM_BATCH ") + line + "\n");
    EXPECT_EQ(x.c0[0], 9);
  }
}

TEST_F(BatchTest, EmptyGroupsAndBatchesAreNothing) {
  Groups x;
  x.sizes[0] = 0;
  x.a[0] = x.a2, x.b[0] = x.b2, x.c[0] = x.c2;  // the second group's only product is then the first
  x.run();
  EXPECT_EQ(x.c2[0], -23);
  EXPECT_EQ(x.c0[0], 9);
  x.count = 0;
  x.run();
  EXPECT_EQ(x.c2[0], -23);
}

TEST_F(BatchTest, RowMajorGroups) {
  // Row-major 1 x 2 times 2 x 2.
  const double a[2] = {1, 2}, b[4] = {1, 2, 3, 4};
  double c[2] = {9, 9};
  const double* as[1] = {a};
  const double* bs[1] = {b};
  double* cs[1] = {c};
  const int none = 111, m = 1, n = 2, k = 2, two = 2, one = 1;
  const double alpha = 1, beta = 0;
  cblas_dgemm_batch(101, &none, &none, &m, &n, &k, &alpha, as, &two, bs, &two, &beta, cs, &two, 1, &one);
  EXPECT_EQ(c[0], 7);
  EXPECT_EQ(c[1], 10);
  const Complex za[1] = {{0, 1}}, zb[1] = {{2, 3}}, z_alpha(0, 2), z_beta(1, 0);
  Complex zc[1] = {{1, 1}};
  const void* zas[1] = {za};
  const void* zbs[1] = {zb};
  void* zcs[1] = {zc};
  const int conj = 113;
  cblas_zgemm_batch(101, &conj, &none, &one, &one, &one, &z_alpha, zas, &one, zbs, &one, &z_beta, zcs, &one, 1, &one);
  EXPECT_EQ(zc[0], Complex(0, 2) * (Complex(0, -1) * Complex(2, 3)) + Complex(1, 1));
  testing::internal::CaptureStderr();
  cblas_dgemm_batch(7, &none, &none, &m, &n, &k, &alpha, as, &two, bs, &two, &beta, cs, &two, 0, &one);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            " ** On entry to cblas_dgemm_batch parameter number  1 had an illegal value (order = 7, expected 101 or 102)\n");
  const int bad = 114;
  testing::internal::CaptureStderr();
  cblas_dgemm_batch(101, &none, &bad, &m, &n, &k, &alpha, as, &two, bs, &two, &beta, cs, &two, 1, &one);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            " ** On entry to cblas_dgemm_batch parameter number  3 had an illegal value (transB = 114, expected 111, 112 or 113)\n");
}

TEST_F(BatchTest, SixtyFourBitGroups) {
  const Complex a[1] = {{1, 2}}, b[1] = {{3, -1}}, alpha = 1, beta = 0;
  Complex c[1] = {7};
  const Complex* as[1] = {a};
  const Complex* bs[1] = {b};
  Complex* cs[1] = {c};
  const std::int64_t one = 1;
  zgemm_batch_64_("C", "T", &one, &one, &one, &alpha, as, &one, bs, &one, &beta, cs, &one, &one, &one);
  EXPECT_EQ(c[0], Complex(1, -2) * Complex(3, -1));
}

TEST_F(BatchTest, StridesMayBeZeroForOperands) {
  const double a[2] = {2, 0}, b[4] = {1, 2, 3, 4}, alpha = 1, beta = 0;
  double c[7] = {9, 9, 9, 9, 9, 9, 9};
  const int one = 1, zero = 0, two = 2, three = 3;
  dgemm_batch_strided_("N", "N", &one, &one, &one, &alpha, a, &one, &zero, b, &one, &one, &beta, c, &one, &two, &three);
  EXPECT_EQ((std::vector<double>(c, c + 7)), (std::vector<double>{2, 9, 4, 9, 6, 9, 9}));
}

TEST_F(BatchTest, RowMajorStrides) {
  const double a[4] = {1, 2, 3, 4}, b[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  double c[4] = {};
  cblas_dgemm_batch_strided(101, 111, 111, 1, 2, 2, 1, a, 2, 2, b, 2, 4, 0, c, 2, 2, 2);
  EXPECT_EQ((std::vector<double>(c, c + 4)), (std::vector<double>{7, 10, 3 * 5 + 4 * 7, 3 * 6 + 4 * 8}));
  const Complex za[2] = {1, {0, 1}}, zb[2] = {{1, 1}, {2, 0}}, alpha = 1, beta = 0;
  Complex zc[2] = {};
  cblas_zgemm_batch_strided64_(102, 113, 111, 1, 1, 1, &alpha, za, 1, 1, zb, 1, 1, &beta, zc, 1, 1, 2);
  EXPECT_EQ(zc[0], Complex(1, 1));
  EXPECT_EQ(zc[1], Complex(0, -2));
}

TEST_F(BatchTest, FaultsOfStridedBatchesHaveTheirOwnNumbers) {
  const struct {
    int m, lda, ldb, ldc, count;
    const char* line;
  } rows[] = {{-1, 2, 2, 2, 1, "parameter number  3 had an illegal value (m = -1, expected >= 0)"},
              {2, 1, 2, 2, 1, "parameter number  8 had an illegal value (lda = 1, expected >= 2)"},
              {2, 2, 1, 2, 1, "parameter number 11 had an illegal value (ldb = 1, expected >= 2)"},
              {2, 2, 2, 1, 1, "parameter number 15 had an illegal value (ldc = 1, expected >= 2)"},
              {2, 2, 2, 2, -1, "parameter number 17 had an illegal value (batch_size = -1, expected >= 0)"}};
  double x[8] = {};
  for (const auto& [m, lda, ldb, ldc, count, line] : rows) {
    const int two = 2, four = 4;
    const double one = 1;
    testing::internal::CaptureStderr();
    dgemm_batch_strided_("N", "N", &m, &two, &two, &one, x, &lda, &four, x, &ldb, &four, &one, x, &ldc, &four, &count);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), std::string(" ** On entry to DGEMM_BATCH_STRIDED ") + line + "\n");
  }
}

}  // namespace
}  // namespace ab::blas
