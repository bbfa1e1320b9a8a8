// SPDX-License-Identifier: MIT
// Our arithmetic does not depend on the caller's floating-point mode, and leaves no trace in it.
#include "core/float_environment.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace ab {
namespace {

// Computed at run time, in the mode in force.
double quotient(double a, double b) {
  volatile double divisor = b;
  return a / divisor;
}
double product(double a, double b) {
  volatile double factor = b;
  return a * factor;
}

class FloatEnvironmentTest : public testing::Test {
 protected:
  void TearDown() override { std::fesetenv(FE_DFL_ENV); }
};

TEST_F(FloatEnvironmentTest, RoundsToNearestWhateverTheCallerHas) {
  const double nearest = quotient(1, 3);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    const double before = quotient(1, 3) + 2 * quotient(-1, 3);  // differs from mode to mode
    double inside;
    {
      const FloatEnvironment environment;
      inside = quotient(1, 3);
    }
    const double after = quotient(1, 3) + 2 * quotient(-1, 3);
    EXPECT_EQ(std::fegetround(), mode);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(inside, nearest);
    EXPECT_EQ(after, before);
  }
  // The mode does act where it is not replaced, or this test could not fail.
  std::fesetround(FE_UPWARD);
  const double upward = quotient(1, 3);
  std::fesetround(FE_TONEAREST);
  EXPECT_NE(upward, nearest);
}

TEST_F(FloatEnvironmentTest, FlagsComeBackAsTheyWere) {
  for (const int raised : {0, static_cast<int>(FE_INEXACT)}) {
    std::feclearexcept(FE_ALL_EXCEPT);
    std::feraiseexcept(raised);
    {
      const FloatEnvironment environment;
      EXPECT_GT(quotient(1, 0), 1);
      EXPECT_GT(product(1e300, 1e300), 1);
    }
    EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), raised);
  }
}

#if defined(__SSE2__)
TEST_F(FloatEnvironmentTest, SubnormalsCountEvenUnderFlushToZero) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // flush to zero, denormals are zero
  double inside;
  {
    const FloatEnvironment environment;
    inside = product(1e-310, 0.5);
  }
  const double outside = product(1e-310, 0.5);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(inside, 5e-311);
  EXPECT_EQ(outside, 0);
  EXPECT_EQ(after & 0x8040u, 0x8040u);
}

TEST_F(FloatEnvironmentTest, TrapsAreMaskedInside) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before & ~0x0200u);  // division by zero traps
  double inside;
  {
    const FloatEnvironment environment;
    inside = quotient(1, 0);
  }
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_GT(inside, 1);
  EXPECT_EQ(after & 0x0200u, 0u);
}
#endif

}  // namespace
}  // namespace ab
