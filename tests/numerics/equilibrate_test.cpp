// SPDX-License-Identifier: MIT
#include "numerics/equilibrate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ab::numerics {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
using Values = std::vector<double>;

TEST(Equilibration, BringsRowsAndSidesNearOneFromAnyRange) {
  const Values a = {1e300, 2e-300, 0, 3e290, 5e-310, 1e-5, 1e280, 7e-320, 4e-5}, b = {1e308, 0, 1e-320, 0, -3, 0};
  const Equilibration scale = equilibrate(a, b, 3, 2);
  const Values x = scaled_matrix(scale, a), y = scaled_sides(scale, b);
  for (std::size_t i = 0; i < 3; ++i) {
    const double largest = std::max({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
    EXPECT_GE(largest, 0.5) << i;
    EXPECT_LT(largest, 1.0) << i;
  }
  for (std::size_t j = 0; j < 3; ++j) {
    const double largest = std::max({x[j], x[3 + j], x[6 + j]});
    EXPECT_GE(largest, 0.5) << j;
    EXPECT_LT(largest, 1.0) << j;
  }
  for (const std::size_t at : {0, 2, 4}) {
    EXPECT_TRUE(std::isfinite(y[at]));
    EXPECT_NE(y[at], 0) << at;
  }
  EXPECT_EQ(scale.sides[1], 0);  // nothing there
  EXPECT_TRUE(scale.finite);
  for (std::size_t at = 0; at < 9; ++at) {  // powers of two: the significands stay
    int ignored;
    if (x[at] != 0 && std::abs(a[at]) > 1e-300) {
      EXPECT_EQ(std::frexp(x[at], &ignored), std::frexp(a[at], &ignored)) << at;
    }
  }
}

TEST(Equilibration, SolutionsComeBackInTheGivenScale) {
  const Values a = {0x1p600, 0, 0, 0x1p-500}, b = {0x1p600, 0x1p-490};  // X = (1, 2^10)
  const Equilibration scale = equilibrate(a, b, 2, 1);
  const Values x = scaled_matrix(scale, a), y = scaled_sides(scale, b);
  Values solution = {y[0] / x[0], y[1] / x[3]};
  unscale(scale, solution);
  EXPECT_EQ(solution, (Values{1, 1024}));
}

TEST(Equilibration, SidesKeepTheirSmallEntries) {
  EXPECT_EQ(equilibrate({1}, {1e300}, 1, 1).sides[0], 0);
  const Equilibration both = equilibrate({1, 0, 0, 1}, {1e300, 1e-300}, 2, 1);
  EXPECT_EQ(scaled_sides(both, {1e300, 1e-300}), (Values{5e299, 5e-301}));  // 1 is in [2^0, 2^1)
  const Equilibration large = equilibrate({1e-300}, {1e300}, 1, 1);         // the quotient has 1993 as exponent
  EXPECT_LT(scaled_sides(large, {1e300})[0], 0x1p1000);
  const Equilibration small = equilibrate({1e300}, {1e-300}, 1, 1);
  EXPECT_GT(scaled_sides(small, {1e-300})[0], 0x1p-1002);
}

TEST(Equilibration, SpecialValuesLeaveTheMatrixAlone) {
  const Values a = {1e200, inf, 3, 4}, b = {1, 2};
  const Equilibration scale = equilibrate(a, b, 2, 1);
  EXPECT_FALSE(scale.finite);
  EXPECT_EQ(scaled_matrix(scale, a), a);
  const Equilibration sides = equilibrate({8, 0, 0, 8}, {inf, 2}, 2, 1);
  EXPECT_FALSE(sides.finite);
  EXPECT_EQ(sides.rows[0], 4);  // 8 is in [2^3, 2^4)
}

TEST(Equilibration, AZeroRowOrColumnStaysZero) {
  const Values a = {0, 5, 0, 7};
  const Equilibration scale = equilibrate(a, {1, 1}, 2, 1);
  const Values x = scaled_matrix(scale, a);
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(x[2], 0);
}

}  // namespace
}  // namespace ab::numerics
