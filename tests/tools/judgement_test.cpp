// SPDX-License-Identifier: MIT
// The judge accepts what is right and names what is not: whatever it could overlook would make `verify` worthless.
#include "judgement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ab::cli {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

Workload two_by_two(std::vector<double> a, std::vector<double> b) {
  return {Operation::Dgemm, {2, 2, 2}, {}, std::move(a), std::move(b)};
}

std::string fault(const Workload& work, const std::vector<double>& c, double bound = 2) {
  return Judge(work).judge(c, bound).fault;
}

TEST(Judge, IntegersMustBeExact) {
  const Workload work = two_by_two({1, 2, 3, 4}, {5, 6, 7, 8});  // [1 3; 2 4] [5 7; 6 8]
  EXPECT_EQ(fault(work, {23, 34, 31, 46}, 0), "");
  const std::string wrong = fault(work, {23, 34, 31.5, 46}, 0);
  EXPECT_EQ(wrong.find("C(0,1) = 31.5 errs by "), 0u) << wrong;
}

TEST(Judge, ErrorsAreMeasuredInUnitsOfTheWeight) {
  const Workload work = two_by_two({1, 2, 3, 4}, {5, 6, 7, 8});
  const double unit = 23 * 0x1p-53;
  const Judge judge(work);
  const Judge::Verdict verdict = judge.judge({23 + 64 * unit, 34, 31, 46}, 70);
  EXPECT_NEAR(verdict.error_u, 64, 3);  // C is rounded
  EXPECT_EQ(verdict.fault, "");
  EXPECT_NE(judge.judge({23 + 64 * unit, 34, 31, 46}, 50).fault, "");
}

TEST(Judge, ARoundingIsAllowedBesideTheBound) {
  const Workload work = two_by_two({1 + 0x1p-52, 0, 0, 1}, {1 + 0x1p-52, 0, 0, 1});
  EXPECT_EQ(fault(work, {1 + 0x1p-51, 0, 0, 1}, 0), "");
  EXPECT_NE(fault(work, {1 + 0x1p-52, 0, 0, 1}, 0), "");
}

TEST(Judge, NothingIsAllowedWhereAllTermsAreZero) {
  const Workload work = two_by_two({0, 0, 0, 0}, {1, 2, 3, 4});
  EXPECT_EQ(fault(work, {0, -0.0, 0, 0}), "");
  const Judge::Verdict verdict = Judge(work).judge({0, 5e-324, 0, 0}, 1e9);
  EXPECT_NE(verdict.fault, "");
  EXPECT_EQ(verdict.error_u, infinity);
}

TEST(Judge, SpecialValuesAreWhereIeeeArithmeticPutsThem) {
  const Workload work = two_by_two({infinity, 1, 1, nan}, {1, 1, 0, 1});
  // C(0,0) = Inf + 1, C(1,0) = 1 + NaN, C(0,1) = Inf 0 + 1, C(1,1) = 0 + NaN
  EXPECT_EQ(fault(work, {infinity, nan, nan, nan}, -1), "");
  EXPECT_NE(fault(work, {infinity, nan, 1, nan}, -1), "");
  EXPECT_NE(fault(work, {-infinity, nan, nan, nan}, -1), "");
  EXPECT_NE(fault(work, {infinity, 1, nan, nan}, -1), "");
  EXPECT_NE(fault(two_by_two({1, 1, 1, 1}, {1, 1, 1, 1}), {2, nan, 2, 2}, -1), "");
}

TEST(Judge, OverflowIsInfinity) {
  const Workload work = two_by_two({1e200, 0, 0, 1}, {1e200, 0, 0, 1});
  EXPECT_EQ(fault(work, {infinity, 0, 0, 1}), "");
  EXPECT_NE(fault(work, {1e308, 0, 0, 1}), "");
}

TEST(Judge, ComplexEntries) {
  const Workload work{Operation::Zgemm, {1, 1, 1}, {}, {1, 2}, {3, 4}};  // (1 + 2i)(3 + 4i) = -5 + 10i
  EXPECT_EQ(fault(work, {-5, 10}, 0), "");
  EXPECT_EQ(fault(work, {-5, 10.5}, 0).find("C(0,0) = 10.5"), 0u);
  const Workload special{Operation::Zgemm, {1, 1, 1}, {}, {infinity, 0}, {1, 0}};
  EXPECT_EQ(fault(special, {infinity, nan}, -1), "");
  EXPECT_EQ(fault(special, {nan, nan}, -1), "");
  EXPECT_NE(fault(special, {1, 2}, -1), "");
}

TEST(Judge, LooksAtAllRowsAndColumnsOfLargeResults) {
  const Shape shape{500, 400, 300};
  const Workload work = make_workload(Operation::Dgemm, shape, 3);
  const Judge judge(work);
  std::vector<double> wrong(static_cast<std::size_t>(work.result_words()), 1e6);
  EXPECT_NE(judge.judge(wrong, 300).fault, "");
}

}  // namespace
}  // namespace ab::cli
