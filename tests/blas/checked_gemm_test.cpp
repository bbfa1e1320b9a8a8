// SPDX-License-Identifier: MIT
// What a checked call hands on: the arguments as they are, and which front it came through.
#include "blas/checked_gemm.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "blas/faked_layers.hpp"
#include "core/thread_state.hpp"

namespace ab::blas {
namespace {

using test::faked;

class CheckedGemmTest : public testing::Test {
 protected:
  void SetUp() override {
    test::reset();
    faked().settings.mode = Mode::Cpu;
  }
};

TEST_F(CheckedGemmTest, ALegalCallRuns) {
  double a[6] = {}, b[6] = {}, c[4] = {};
  check_and_run<double>({'n', 'T', 2, 2, 3, 1, a, 2, b, 2, 0, c, 2}, report::Api::C);
  EXPECT_EQ(c[3], test::by_host);
  EXPECT_EQ(faked().host_interface, host_blas::Interface::Fortran);
}

TEST_F(CheckedGemmTest, AnIllegalCallDoesNotRunEvenWhenItIsEmpty) {
  double c[4] = {7, 7, 7, 7};
  testing::internal::CaptureStderr();
  check_and_run<double>({'N', 'N', 0, 2, 2, 1, c, 1, c, 2, 0, c, 0}, report::Api::C);
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(faked().host_calls, 0);
  EXPECT_EQ(c[0], 7);
  EXPECT_EQ(thread_state().last_product.scheme, Scheme::None);  // a rejected call is no product
}

}  // namespace
}  // namespace ab::blas
