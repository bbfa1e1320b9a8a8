// SPDX-License-Identifier: MIT
// Exceptions become a status and a text that names the function.
#include "capi/guarded.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <new>
#include <stdexcept>

namespace ab::capi {
namespace {

TEST(Guarded, SuccessLeavesTheLastErrorAlone) {
  EXPECT_EQ(guarded("ab_f", [] { fail(Status::Singular, "the matrix is singular"); }), AB_ERROR_SINGULAR);
  EXPECT_EQ(guarded("ab_g", [] {}), AB_OK);
  EXPECT_STREQ(ab_last_error(), "ab_f: the matrix is singular");
}

TEST(Guarded, EveryStatusComesThrough) {
  for (Status status : {Status::NoDevice, Status::AllocFailed, Status::DimensionMismatch, Status::NotUploaded, Status::KernelFailed,
                        Status::InvalidArgument, Status::ShaderCompile, Status::Singular}) {
    EXPECT_EQ(guarded("ab_f", [&] { fail(status, "text"); }), static_cast<ABStatus>(status));
  }
}

TEST(Guarded, ForeignExceptionsAreTranslated) {
  EXPECT_EQ(guarded("ab_f", [] { throw std::bad_alloc(); }), AB_ERROR_ALLOC_FAILED);
  EXPECT_STREQ(ab_last_error(), "ab_f: no host memory");
  EXPECT_EQ(guarded("ab_f", [] { throw std::runtime_error("odd"); }), AB_ERROR_KERNEL_FAILED);
  EXPECT_STREQ(ab_last_error(), "ab_f: odd");
}

TEST(Guarded, ALongTextIsCutNotOverrun) {
  EXPECT_EQ(guarded("ab_f", [] { fail(Status::InvalidArgument, std::string(5000, 'x')); }), AB_ERROR_INVALID_ARG);
  const std::string text = ab_last_error();
  EXPECT_GT(text.size(), 400u);
  EXPECT_LT(text.size(), 512u);
}

TEST(Guarded, OperationsComputeInRoundToNearestAndGiveTheCallersModeBack) {
  volatile double tiny = 0x1p-60;
  double inside = 0;
  std::fesetround(FE_UPWARD);
  guarded_operation("ab_f", [&] { inside = 1.0 + tiny; });
  const double outside = 1.0 + tiny;
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(inside, 1.0);
  EXPECT_EQ(outside, 1.0 + 0x1p-52);
}

TEST(Guarded, AStructOlderThanTheFirstIsRefused) {
  EXPECT_EQ(guarded("ab_f", [] { require_struct_size(7, 8); }), AB_ERROR_INVALID_ARG);
  EXPECT_STREQ(ab_last_error(), "ab_f: struct_size is 7, expected 8");
  EXPECT_EQ(guarded("ab_f", [] { require_struct_size(9, 8); }), AB_OK);
}

}  // namespace
}  // namespace ab::capi
