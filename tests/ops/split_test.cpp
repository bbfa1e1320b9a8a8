// SPDX-License-Identifier: MIT
// A product shared by two devices has the bits of the whole, whatever the share and whoever fails.
#include "ops/split.hpp"

#include <gtest/gtest.h>

#include "device/registry.hpp"
#include "ops/prepared.hpp"
#include "support/data.hpp"
#include "support/faulty_device.hpp"
#include "support/golden.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

// The other device is one with memory of its own.
class Pair {
 public:
  Pair() : cpu_device_(device::open(0)), other_device_(device::open(0)) {
    other_device_.has_own_memory();
    cpu_ = std::make_unique<Context>(0, cpu_device_, std::uint64_t{1} << 26);
    other_ = std::make_unique<Context>(1, other_device_, std::uint64_t{1} << 26);
  }
  test::FaultyDevice& cpu_device() { return cpu_device_; }
  test::FaultyDevice& other_device() { return other_device_; }
  Context& other() { return *other_; }

  test::Ran run(const test::Call& call, const Choices& choices, Index cpu_columns) {
    return call.type == test::Type::Real ? run_as<double>(call, choices, cpu_columns) : run_as<Complex>(call, choices, cpu_columns);
  }
  SplitOutcome last;

 private:
  template <Scalar T>
  test::Ran run_as(const test::Call& call, const Choices& choices, Index cpu_columns) {
    test::Ran ran;
    ran.c = call.c;
    try {
      last = gemm_split(*cpu_, *other_, test::problem_of<T>(call, ran.c), choices, cpu_columns);
      ran.outcome = last.outcome;
    } catch (const Error& error) {
      ran.error = error.what();
    }
    return ran;
  }
  test::FaultyDevice cpu_device_, other_device_;
  std::unique_ptr<Context> cpu_, other_;
};

bool is_class(const ProductReport& report) {
  return report.scheme == Scheme::CrtInt8 || report.scheme == Scheme::Crt10Bit || report.scheme == Scheme::DoubleFloat;
}

TEST(Split, ColumnsOfAShare) {
  EXPECT_EQ(columns_of_share(0.5, 10), 5);
  EXPECT_EQ(columns_of_share(0.25, 10), 3);  // 2.5 up
  EXPECT_EQ(columns_of_share(0.24, 10), 2);
  EXPECT_EQ(columns_of_share(0.001, 10), 1);
  EXPECT_EQ(columns_of_share(0.999, 10), 9);
  EXPECT_EQ(columns_of_share(0.5, 2), 1);
  EXPECT_EQ(columns_of_share(0.5, INT32_MAX), Index{1} << 30);
}

TEST(Split, GoldenProductsHaveTheirBits) {
  Pair pair;
  int shared = 0;
  for (const test::GoldenProduct& golden : test::golden_products()) {
    if (golden.call.kind != test::Kind::Gemm || golden.call.n < 2) continue;
    for (const Precision precision : test::device_classes) {
      const test::Verdict& verdict = golden.expect.at(precision);
      const Choices choices = test::choices_for(precision);
      for (const Index columns : {Index{1}, golden.call.n / 2, golden.call.n - 1}) {
        const test::Ran ran = pair.run(golden.call, choices, columns);
        ASSERT_EQ(ran.error, "");
        ASSERT_FALSE(ran.outcome.declined);
        EXPECT_EQ(difference(golden.call, verdict.c, ran.c), "") << word_of(precision) << " columns " << columns;
        const bool is_shared = is_class(ran.outcome.report);
        EXPECT_EQ(ran.outcome.report.engine, is_shared ? Engine::Split : Engine::Device);
        EXPECT_EQ(ran.outcome.report.device, 1);
        ProductReport as_device = ran.outcome.report;
        as_device.engine = Engine::Device;
        EXPECT_EQ(test::difference_of_reports(expected_report(verdict.report, precision, ModuliFamily::Int8), as_device), "");
        shared += is_shared ? 1 : 0;
      }
    }
  }
  EXPECT_GT(shared, 50);
}

test::Call drawn(test::Type type) {
  test::Random random(91);
  test::Recipe recipe;
  recipe.family = "uniform", recipe.shape = {5, 6, 17}, recipe.type = type, recipe.padding = 1;
  recipe.alpha = {1.5, 0}, recipe.beta = {-0.5, 0};
  recipe.transb = type == test::Type::Real ? Op::Transpose : Op::ConjugateTranspose;
  return make_call(recipe, random);
}

TEST(Split, SpecialDataIsLeftToTheOtherDevice) {
  test::Call call = drawn(test::Type::Real);
  call.a[0] = NAN;
  Pair pair;
  Choices choices = test::choices_for(Precision::Fp64);
  test::Ran ran = pair.run(call, choices, 2);
  EXPECT_EQ(ran.outcome.report.scheme, Scheme::Ieee);
  EXPECT_EQ(ran.outcome.report.engine, Engine::Device);
  choices.may_decline = true;
  ran = pair.run(call, choices, 2);
  ASSERT_TRUE(ran.outcome.declined);
  EXPECT_EQ(ran.outcome.declined->reason, Reason::Nonfinite);
  EXPECT_EQ(difference(call, call.c, ran.c), "");
}

TEST(Split, WhateverFailsOnTheOtherDeviceIsComputedAgain) {
  for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
    for (const Precision precision : {Precision::Fp64, Precision::DoubleFloat}) {
      const test::Call call = drawn(type);
      const std::vector<double> expected = judge(call, precision).c;
      Pair pair;
      int failed = 0;
      Index n = 0;
      do {
        pair.other_device().fail_at(++n);
        const test::Ran ran = pair.run(call, test::choices_for(precision), 2);
        ASSERT_EQ(ran.error, "");
        ASSERT_FALSE(ran.outcome.declined);
        EXPECT_EQ(difference(call, expected, ran.c), "") << "call " << n;
        const bool alone = pair.last.other_declined.has_value();
        EXPECT_EQ(ran.outcome.report.engine, alone ? Engine::Device : Engine::Split);
        EXPECT_EQ(ran.outcome.report.device, alone ? 0 : 1);
        EXPECT_EQ(pair.last.other_failed.has_value(), alone);
        failed += alone ? 1 : 0;
      } while (pair.other_device().calls() >= n && n < 1000);
      EXPECT_GT(failed, 10);
      EXPECT_LT(n, 1000);
      pair.other_device().fail_at(0);
      pair.other().prepared().clear();  // constants of moduli
      pair.other().pool().trim();
      EXPECT_EQ(pair.other_device().bytes_alive(), 0u);
    }
  }
}

TEST(Split, WhatFailsOnTheCpuDeviceLeavesCAlone) {
  const test::Call call = drawn(test::Type::Real);
  Pair pair;
  Index n = 0, errors = 0;
  do {
    pair.cpu_device().fail_at(++n, test::Failures::AllFromThere);
    const test::Ran ran = pair.run(call, test::choices_for(Precision::Fp64), 3);
    ASSERT_EQ(ran.error, "");
    if (!ran.outcome.declined) break;
    ++errors;
    EXPECT_EQ(difference(call, call.c, ran.c), "") << "call " << n;
  } while (n < 1000);
  EXPECT_GT(errors, 10);
  EXPECT_LT(n, 1000);
}

TEST(Split, ACapThatTheOtherDeviceCannotKeepIsADeclineOfItsPart) {
  const test::Call call = drawn(test::Type::Real);
  Pair pair;
  Choices choices = test::choices_for(Precision::Fp64);
  pair.other_device().has_largest_buffer(8);  // not even one vector
  const test::Ran ran = pair.run(call, choices, 3);
  ASSERT_TRUE(pair.last.other_declined);
  EXPECT_EQ(pair.last.other_declined->reason, Reason::MemoryCap);
  EXPECT_EQ(difference(call, judge(call, Precision::Fp64).c, ran.c), "");
}

}  // namespace
}  // namespace ab::ops
