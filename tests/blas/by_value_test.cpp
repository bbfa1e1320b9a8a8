// SPDX-License-Identifier: MIT
// The names of apple_bottom_blas.h.
#include <gtest/gtest.h>

#include "blas/faked_layers.hpp"
#include "blas/fronts.hpp"

namespace ab::blas {
namespace {

using test::faked;

class ByValueTest : public testing::Test {
 protected:
  void SetUp() override {
    test::reset();
    faked().settings.min_gpu_dim = 0;
  }
};

TEST_F(ByValueTest, ComputeWhatTheyAreTold) {
  faked().has_host_blas = false;
  faked().host_memory_gone = true;
  const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  double c[] = {1, 1, 1, 1};
  ab_dgemm_blas('t', 'N', 2, 2, 2, 2, a, 2, b, 2, 3, c, 2);
  EXPECT_EQ(c[0], 2 * (1 * 5 + 2 * 6) + 3);
  EXPECT_EQ(c[1], 2 * (3 * 5 + 4 * 6) + 3);
  EXPECT_EQ(c[2], 2 * (1 * 7 + 2 * 8) + 3);
  EXPECT_EQ(c[3], 2 * (3 * 7 + 4 * 8) + 3);
  const ab_complex za[] = {{1, 2}}, zb[] = {{3, 4}};
  ab_complex zc[] = {{1, 1}};
  ab_zgemm_blas('C', 'N', 1, 1, 1, {0, 1}, za, 1, zb, 1, {2, 0}, zc, 1);
  EXPECT_EQ(zc[0], ab_complex(0, 1) * (ab_complex(1, -2) * ab_complex(3, 4)) + ab_complex(2, 2));
}

TEST_F(ByValueTest, CheckTheirArguments) {
  double c[] = {7, 8, 9, 10};
  testing::internal::CaptureStderr();
  ab_dgemm_blas('N', 'N', 2, 2, 2, 1, c, 1, c, 2, 0, c, 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            " ** On entry to DGEMM  parameter number  8 had an illegal value (lda = 1, expected >= 2)\n");
  ab_complex z[] = {{7, 7}};
  testing::internal::CaptureStderr();
  ab_zgemm_blas('N', 'N', 1, -2, 1, 1, z, 1, z, 1, 0, z, 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            " ** On entry to ZGEMM  parameter number  4 had an illegal value (n = -2, expected >= 0)\n");
  EXPECT_EQ(z[0], ab_complex(7, 7));
  EXPECT_EQ(c[0], 7);
}

TEST_F(ByValueTest, TheDispatchPathIsThatOfTheLastCall) {
  EXPECT_STREQ(ab_get_last_dispatch_path(), "none");
  const double one[] = {1};
  double c[] = {0};
  faked().settings.mode = Mode::Gpu;
  ab_dgemm_blas('N', 'N', 1, 1, 1, 1, one, 1, one, 1, 0, c, 1);
  EXPECT_EQ(c[0], test::by_gpu);
  EXPECT_STREQ(ab_get_last_dispatch_path(), "gpu");
  ab_dgemm_blas('N', 'N', 1, 1, 0, 1, one, 1, one, 1, 0, c, 1);  // a quick return
  EXPECT_STREQ(ab_get_last_dispatch_path(), "cpu");
  faked().default_device = 0;
  ab_dgemm_blas('N', 'N', 1, 1, 1, 1, one, 1, one, 1, 0, c, 1);
  EXPECT_EQ(c[0], test::by_cpu);
  EXPECT_STREQ(ab_get_last_dispatch_path(), "cpu");
}

}  // namespace
}  // namespace ab::blas
