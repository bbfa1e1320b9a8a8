// SPDX-License-Identifier: MIT
// What a checked call hands on: the arguments as they are, and which front it came through.
#include "blas/checked_call.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "blas/faked_layers.hpp"
#include "core/thread_state.hpp"

namespace ab::blas {
namespace {

using test::faked;

const Front by_value{find_routine("dgemm"), report::Api::C};

class CheckedCallTest : public testing::Test {
 protected:
  void SetUp() override {
    test::reset();
    faked().settings.mode = Mode::Cpu;
  }
};

TEST_F(CheckedCallTest, ALegalCallRuns) {
  double a[6] = {}, b[6] = {}, c[4] = {};
  check_and_run<double>(by_value, {{.op_b = Op::Transpose, .m = 2, .n = 2, .k = 3, .lda = 2, .ldb = 2, .ldc = 2}, 1, a, b, 0, c},
                        {'n', 'T'});
  EXPECT_EQ(c[3], test::by_host);
  EXPECT_EQ(faked().host_interface, host_blas::Interface::Fortran);
}

TEST_F(CheckedCallTest, AnIllegalCallDoesNotRunEvenWhenItIsEmpty) {
  double c[4] = {7, 7, 7, 7};
  testing::internal::CaptureStderr();
  check_and_run<double>(by_value, {{.m = 0, .n = 2, .k = 2, .lda = 1, .ldb = 2, .ldc = 0}, 1, c, c, 0, c}, {'N', 'N'});
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(faked().host_calls, 0);
  EXPECT_EQ(c[0], 7);
  EXPECT_EQ(thread_state().last_product.scheme, Scheme::None);  // a rejected call is no product
}

}  // namespace
}  // namespace ab::blas
