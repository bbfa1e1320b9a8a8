// SPDX-License-Identifier: MIT
// The reference of `verify` against integers and powers of two, over the whole range of FP64.
#include "exact_sum.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "generator.hpp"

namespace ab::cli {
namespace {

double value_of(const ExactSum& sum) {
  const Magnitude magnitude = sum.magnitude();
  return std::ldexp(magnitude.fraction, magnitude.exponent);
}

TEST(ExactSum, Integers) {
  Generator generator(1);
  for (int round = 0; round < 200; ++round) {
    ExactSum sum;
    std::int64_t expected = 0;
    for (int i = 0; i < 50; ++i) {
      const std::int64_t x = generator.integer(-1000000, 1000000), y = generator.integer(-1000000, 1000000);
      sum.add_product(static_cast<double>(x), static_cast<double>(y));
      expected += x * y;
    }
    EXPECT_EQ(value_of(sum), std::fabs(static_cast<double>(expected)));
  }
}

TEST(ExactSum, WhatCancelsLeavesExactlyTheRest) {
  constexpr double huge = std::numeric_limits<double>::max(), tiny = std::numeric_limits<double>::denorm_min();
  ExactSum sum;
  sum.add_product(huge, huge);
  sum.add_product(tiny, tiny);
  sum.add_product(-huge, huge);
  const Magnitude rest = sum.magnitude();
  EXPECT_EQ(rest.fraction, 1);
  EXPECT_EQ(rest.exponent, -2148);
  sum.subtract_product(tiny, tiny);
  EXPECT_TRUE(sum.magnitude().is_zero());
  sum.subtract_product(tiny, -tiny);
  EXPECT_EQ(sum.magnitude().exponent, -2148);
}

TEST(ExactSum, CarriesRunThroughAllDigits) {
  for (const double sign : {1.0, -1.0}) {
    ExactSum sum;
    for (int power = -1074; power < 1023; power += 1) sum.add_product(sign * std::ldexp(1.0, power), 1);  // 2^1023 - 2^-1074
    sum.add_product(sign * std::ldexp(1.0, -1074), 1);
    const Magnitude magnitude = sum.magnitude();
    EXPECT_EQ(magnitude.fraction, 1);
    EXPECT_EQ(magnitude.exponent, 1023);
  }
}

TEST(ExactSum, RandomSumsInAnyOrderCancelToZero) {
  Generator generator(2);
  std::vector<std::pair<double, double>> terms;
  ExactSum sum;
  for (int i = 0; i < 2000; ++i) {
    const double x = std::ldexp(generator.uniform(), static_cast<int>(generator.integer(-1000, 1000)));
    const double y = std::ldexp(generator.uniform(), static_cast<int>(generator.integer(-1000, 1000)));
    terms.emplace_back(x, y);
    sum.add_product(x, y);
  }
  EXPECT_FALSE(sum.magnitude().is_zero());
  for (auto term = terms.rbegin(); term != terms.rend(); ++term) sum.add_product(term->first, -term->second);
  EXPECT_TRUE(sum.magnitude().is_zero());
}

TEST(ExactSum, MagnitudesCompareBeyondTheRangeOfDoubles) {
  const Magnitude zero, one{1, 0}, large{1.5, 1500}, larger{1.75, 1500}, largest{1, 1501};
  EXPECT_TRUE(zero <= one && zero <= zero && one <= large && large <= larger && larger <= largest);
  EXPECT_FALSE(one <= zero || larger <= large || largest <= larger);
  EXPECT_EQ(largest.over(large), 2 / 1.5);
}

}  // namespace
}  // namespace ab::cli
