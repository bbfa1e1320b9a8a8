// SPDX-License-Identifier: MIT
// Prepared operands: what is kept is not made again, is never taken for something else, and gives way.
#include "ops/prepared.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "device/registry.hpp"
#include "support/data.hpp"
#include "support/faulty_device.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

using test::Call;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr std::uint64_t none = 0;  // contents that are not known

struct Contents {
  std::uint64_t left, right;
};

Call drawn(std::string_view family, const test::Shape& shape, test::Type type = test::Type::Real) {
  test::Random random(7);
  test::Recipe recipe;
  recipe.family = family, recipe.shape = shape, recipe.type = type, recipe.padding = 1;
  recipe.alpha = {1.5, 0}, recipe.beta = {-0.5, 0};
  return make_call(recipe, random);
}

// The call with its operands resident and their contents numbered.
class NumberedCall {
 public:
  NumberedCall(Context& context, const Call& call, const Contents& contents) : context_(context), resident_(context, call) {
    product_ = resident_.product();
    product_.left.contents = {contents.left, contents.left};
    product_.right.contents = {contents.right, contents.right};
  }
  void make_right_the_left() { product_.right = product_.left; }
  void multiply(const Choices& choices) {
    try {
      outcome_ = ops::multiply(context_, product_, choices);
    } catch (const Error& error) {
      error_ = error.what();
    }
  }
  test::Ran result() const {
    test::Ran ran = resident_.read_back();
    ran.outcome = outcome_, ran.error = error_;
    return ran;
  }

 private:
  Context& context_;
  test::ResidentCall resident_;
  Product product_;
  Outcome outcome_;
  std::string error_;
};

test::Ran run(Context& context, const Call& call, const Choices& choices, const Contents& contents) {
  NumberedCall numbered(context, call, contents);
  numbered.multiply(choices);
  return numbered.result();
}

class Prepared : public testing::Test {
 protected:
  // Launches of the scan and of whatever prepares operands.
  struct Launches {
    Index scans, preparations;
    bool operator==(const Launches&) const = default;
  };

  Launches launches_of(const Call& call, const Choices& choices, const Contents& contents) {
    device_.fail_at(0);
    const test::Ran ran = run(context_, call, choices, contents);
    EXPECT_EQ(difference_of_run(call, judge(call, choices.precision), ran, choices), "");
    return {device_.launches_of("scan"),
            device_.launches_of("residues_i8") + device_.launches_of("residues_half") + device_.launches_of("pack_dd")};
  }

  test::FaultyDevice device_{device::open(0)};
  Context context_{0, device_, 16 * mib};
};

std::ostream& operator<<(std::ostream& out, const auto& launches) requires requires {
  launches.preparations;
}
{ return out << launches.scans << " scans, " << launches.preparations << " preparations"; }

TEST_F(Prepared, TheSecondProductMakesNothingAgain) {
  std::uint64_t number = 0;
  for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
    const Call call = drawn("normal", {5, 6, 70}, type);
    for (const Precision precision : test::device_classes) {
      for (const ModuliFamily family : test::device_families) {
        if (precision == Precision::DoubleFloat && family != ModuliFamily::Int8) continue;
        SCOPED_TRACE(word_of(precision));
        const Choices choices = test::choices_for(precision, family);
        const std::uint64_t a = ++number, b = ++number, other = ++number;
        EXPECT_EQ(launches_of(call, choices, {a, b}), (Launches{2, 2}));
        EXPECT_EQ(launches_of(call, choices, {a, b}), (Launches{0, 0}));
        EXPECT_EQ(launches_of(call, choices, {a, other}), (Launches{1, 1}));
        EXPECT_EQ(launches_of(call, choices, {other, b}), (Launches{1, 1}));
        EXPECT_EQ(launches_of(call, choices, {a, none}), (Launches{1, 1}));
        EXPECT_EQ(launches_of(call, choices, {a, none}), (Launches{1, 1}));
        EXPECT_EQ(launches_of(call, choices, {none, none}), (Launches{2, 2}));
      }
    }
  }
}

// Each call costs a GPU microseconds, and each read waits for it.
TEST_F(Prepared, ProductsTakeFewCallsOfTheDevice) {
  for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
    const Call call = drawn("normal", {20, 30, 70}, type);
    const Choices choices = test::choices_for(Precision::Fp64);
    launches_of(call, choices, {3, 4});  // buffers, of what is kept too
    context_.prepared().clear();
    launches_of(call, choices, {none, none});  // constants
    NumberedCall fresh(context_, call, {1, 2}), kept(context_, call, {1, 2});
    device_.fail_at(0);
    fresh.multiply(choices);
    EXPECT_LE(device_.calls(), 6 + 3 + 2) << "launches, writes (two empty profiles, shifts), reads (two scans)";
    device_.fail_at(0);
    kept.multiply(choices);
    EXPECT_LE(device_.calls(), 2 + 1) << "launches, writes (shifts)";
    EXPECT_EQ(difference_of_run(call, judge(call, choices.precision), kept.result(), choices), "");
    context_.prepared().clear();
  }
}

TEST_F(Prepared, AnOperandThatIsBothIsScannedOnce) {
  const Call call = drawn("normal", {6, 6, 70});
  NumberedCall squared(context_, call, {5, 5});
  squared.make_right_the_left();
  device_.fail_at(0);
  squared.multiply(test::choices_for(Precision::Fp64));
  EXPECT_EQ(device_.launches_of("scan"), 1);
}

TEST_F(Prepared, AnotherClassMakesItsOwnResiduesOfTheSameScans) {
  const Call call = drawn("normal", {5, 6, 70});
  EXPECT_EQ(launches_of(call, test::choices_for(Precision::Fp64), {1, 2}), (Launches{2, 2}));
  for (const Precision precision : {Precision::Fast, Precision::Strict, Precision::DoubleFloat}) {
    EXPECT_EQ(launches_of(call, test::choices_for(precision), {1, 2}), (Launches{0, 2}));
  }
  EXPECT_EQ(launches_of(call, test::choices_for(Precision::Fp64, ModuliFamily::Ten), {1, 2}), (Launches{0, 2}));
  EXPECT_EQ(launches_of(call, test::choices_for(Precision::Fp64), {1, 2}), (Launches{0, 0}));
}

TEST_F(Prepared, SplitFormsAreKeptToo) {
  test::Random random(3);
  test::Recipe tilted;
  tilted.shape = {4, 3, 20}, tilted.type = test::Type::Complex;
  tilted.edit = [](test::Matrices& x) { tilt(x, -45, -45); };
  const Call call = make_call(tilted, random);
  const Choices choices = test::choices_for(Precision::Fp64);
  ASSERT_EQ(judge(call, choices.precision).report.form, "split");
  const Launches first = launches_of(call, choices, {1, 2});
  EXPECT_EQ(first.preparations, 4);
  EXPECT_GE(first.scans, 6);
  EXPECT_EQ(launches_of(call, choices, {1, 2}), (Launches{first.scans - 6, 0}));  // second looks belong to one product
}

TEST_F(Prepared, WhatInnerExponentsShapeIsNotKept) {
  const Call call = drawn("opposed", {3, 3, 24});
  const Choices choices = test::choices_for(Precision::Fp64);
  ASSERT_GT(judge(call, choices.precision).report.kappa, 0);
  EXPECT_EQ(launches_of(call, choices, {1, 2}), (Launches{4, 2}));
  EXPECT_EQ(launches_of(call, choices, {1, 2}), (Launches{2, 2}));
}

TEST_F(Prepared, BlocksAreNotKept) {
  const Call call = drawn("small", {65, 2, 3});
  Choices choices = test::choices_for(Precision::Fp64);
  choices.cap_bytes = 0, choices.may_exceed_cap = true;
  EXPECT_EQ(launches_of(call, choices, {1, 2}), (Launches{2, 3}));  // the right operand stays whole
  EXPECT_EQ(launches_of(call, choices, {1, 2}), (Launches{0, 2}));
}

TEST_F(Prepared, OneOperandOnBothSidesIsScannedOnce) {
  test::Random random(4);
  test::Recipe recipe;
  recipe.shape = {6, 6, 9}, recipe.kind = test::Kind::Syrk, recipe.triangle = Triangle::Upper;
  EXPECT_EQ(launches_of(make_call(recipe, random), test::choices_for(Precision::Fp64), {1, 1}).scans, 1);
  recipe.kind = test::Kind::Herk, recipe.type = test::Type::Complex;
  const Call herk = make_call(recipe, random);
  EXPECT_EQ(launches_of(herk, test::choices_for(Precision::Fp64), {2, 2}), (Launches{2, 2}));  // one side is conjugated
  EXPECT_EQ(launches_of(herk, test::choices_for(Precision::Fp64), {2, 2}), (Launches{0, 0}));
}

// All uses of the same two square matrices: whatever was kept for one of them must not serve another wrongly.
TEST_F(Prepared, UsesOfTheSameContentsDoNotMix) {
  for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
    Call call = drawn("normal", {6, 6, 6}, type);
    const std::uint64_t first = type == test::Type::Real ? 1 : 3;
    const std::vector<double> a = call.a, b = call.b;
    for (int round = 0; round < 2; ++round) {
      for (const bool swapped : {false, true}) {
        call.a = swapped ? b : a, call.b = swapped ? a : b;
        for (const Op transa : {Op::None, Op::Transpose, Op::ConjugateTranspose}) {
          for (const Op transb : {Op::None, Op::Transpose, Op::ConjugateTranspose}) {
            call.transa = transa, call.transb = transb;
            for (const Precision precision : test::device_classes) {
              const Contents contents = swapped ? Contents{first + 1, first} : Contents{first, first + 1};
              launches_of(call, test::choices_for(precision), contents);
            }
          }
        }
      }
    }
  }
}

// ---- memory

TEST_F(Prepared, StaysBelowHalfOfTheCap) {
  constexpr std::uint64_t cap = 2 * mib;  // an operand of small tiles and padded planes takes up to 220 KiB
  Context context(0, device_, cap);
  for (std::uint64_t t = 0; t < 100; ++t) {
    const auto size = static_cast<Index>(t * 7 % 40 + 1);
    const Call call = drawn("uniform", {size, 20, size + 3}, t % 2 == 0 ? test::Type::Real : test::Type::Complex);
    const Choices choices = test::choices_for(test::device_classes[t % 4]);
    EXPECT_EQ(run(context, call, choices, {2 * t + 1, 2 * t + 2}).error, "");
    EXPECT_LE(context.prepared().bytes(), cap / 2);
    EXPECT_LE(context.pool().held_bytes(), cap);
    EXPECT_EQ(device_.bytes_alive(), context.pool().held_bytes());
  }
  EXPECT_GT(context.prepared().bytes(), cap / 4);
  context.prepared().clear();
  context.pool().trim();
  EXPECT_EQ(device_.bytes_alive(), 0u);
}

TEST_F(Prepared, GivesWayToTheCap) {
  const Call call = drawn("normal", {40, 40, 70});
  launches_of(call, test::choices_for(Precision::Fp64), {1, 2});
  const std::uint64_t before = context_.prepared().bytes();
  EXPECT_GT(before, 0u);
  const Lease some = context_.lease(15 * mib);
  EXPECT_EQ(context_.prepared().bytes(), before);
  const Lease more = context_.lease(mib - 8192);
  EXPECT_LT(context_.prepared().bytes(), before);
  EXPECT_LE(context_.pool().held_bytes(), 16 * mib);
  EXPECT_LE(context_.pool().peak_bytes(), 16 * mib);
}

TEST_F(Prepared, GivesWayBeforeThereIsNoMemory) {
  const Call call = drawn("normal", {40, 40, 70});
  launches_of(call, test::choices_for(Precision::Fp64), {1, 2});
  context_.pool().trim();
  ASSERT_GT(context_.prepared().bytes(), 0u);
  device_.limit_memory(device_.bytes_alive());
  EXPECT_TRUE(context_.lease(context_.prepared().bytes() / 2));
  EXPECT_EQ(context_.prepared().bytes(), 0u);
  device_.limit_memory(UINT64_MAX);
  launches_of(call, test::choices_for(Precision::Fp64), {1, 2});
  context_.pool().trim();
  device_.limit_memory(device_.bytes_alive());
  EXPECT_NE(allocate(context_, context_.prepared().bytes()), nullptr);
  EXPECT_EQ(context_.prepared().bytes(), 0u);
}

PreparedKey key_of(std::uint64_t contents) {
  PreparedKey key{.preparation = Preparation::Scan, .operand = {}, .form = OperandForm::Whole};
  key.operand.contents[0] = contents;
  return key;
}

std::shared_ptr<const void> value(int number) {
  return std::make_shared<const int>(number);
}

TEST(PreparedOperands, TheLeastRecentlyUsedGoFirst) {
  PreparedOperands kept(100);
  for (std::uint64_t i = 1; i <= 2; ++i) kept.keep(key_of(i), value(0), 40);
  EXPECT_TRUE(kept.find(key_of(1)));
  kept.keep(key_of(3), value(0), 40);
  EXPECT_FALSE(kept.find(key_of(2)));
  EXPECT_TRUE(kept.find(key_of(3)) && kept.find(key_of(1)));
  EXPECT_EQ(kept.bytes(), 80u);
  kept.keep(key_of(4), value(0), 101);  // larger than all together may be
  EXPECT_FALSE(kept.find(key_of(4)));
  kept.give_way(1);
  EXPECT_FALSE(kept.find(key_of(3)));
  EXPECT_TRUE(kept.find(key_of(1)));
  for (std::uint64_t i = 10; i < 1000; ++i) kept.keep(key_of(i), value(0), 0);
  EXPECT_FALSE(kept.find(key_of(800)));  // few, however small they are
  EXPECT_TRUE(kept.find(key_of(999)));
}

TEST(PreparedOperands, WhatIsUsedStaysAliveAndGivesNoWay) {
  PreparedOperands kept(100);
  kept.keep(key_of(1), value(11), 50);
  kept.keep(key_of(2), value(22), 50);
  const std::shared_ptr<const void> used = kept.find(key_of(1));
  kept.give_way(UINT64_MAX);  // would free nothing
  EXPECT_EQ(kept.bytes(), 50u);
  EXPECT_EQ(kept.find(key_of(1)), used);
  kept.clear();
  EXPECT_EQ(kept.bytes(), 0u);
  EXPECT_EQ(*std::static_pointer_cast<const int>(used), 11);
}

TEST(PreparedOperands, ForgetsContentsOfEitherPartAndKeepsNothingOnceClosed) {
  PreparedOperands kept(100);
  PreparedKey both = key_of(1);
  both.operand.part_count = 2, both.operand.contents[1] = 2;
  kept.keep(both, value(0), 1);
  kept.keep(key_of(1), value(0), 1);
  kept.keep(key_of(3), value(0), 1);
  EXPECT_NE(kept.find(both), kept.find(key_of(1)));
  kept.forget(2);
  EXPECT_FALSE(kept.find(both));
  kept.forget(1);
  EXPECT_FALSE(kept.find(key_of(1)));
  EXPECT_TRUE(kept.find(key_of(3)));
  kept.keep(key_of(0), value(0), 1);
  EXPECT_FALSE(kept.find(key_of(0)));
  kept.close();
  kept.keep(key_of(3), value(0), 1);
  EXPECT_FALSE(kept.find(key_of(3)));
}

// ---- failures and threads

TEST_F(Prepared, AfterAnyFailureTheNextProductIsRight) {
  std::uint64_t number = 0;
  for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
    const Call call = drawn("uniform", {3, 4, 9}, type);
    for (const Precision precision : {Precision::Fp64, Precision::DoubleFloat}) {
      const Choices choices = test::choices_for(precision);
      for (const test::Failures failures : {test::Failures::One, test::Failures::AllFromThere}) {
        Index n = 0;
        for (bool reached = true; reached;) {
          const Contents contents{number + 1, number + 2};
          number += 2;
          if (n % 2 == 0) launches_of(call, choices, {contents.left, none});  // the left operand is kept already
          NumberedCall failing(context_, call, contents);
          device_.fail_at(n + 1, failures);
          failing.multiply(choices);
          reached = device_.calls() > n;
          device_.fail_at(0);
          const test::Ran ran = failing.result();
          for (int again = 0; again < 2; ++again) launches_of(call, choices, contents);
          EXPECT_EQ(ran.error.empty() ? difference_of_run(call, judge(call, precision), ran, choices) : "", "");
          ++n;
        }
        EXPECT_GT(n, 5);
      }
    }
  }
}

TEST(PreparedThreads, ManyThreadsShareAnOperand) {
  Context context(0, device::open(0), mib);
  const Call call = drawn("normal", {24, 8, 70}, test::Type::Complex);
  const test::Verdict verdict = judge(call, Precision::Fp64);
  const Choices choices = test::choices_for(Precision::Fp64);
  std::atomic<int> wrong{0};
  std::atomic<std::uint64_t> number{100};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t round = 0; round < 20; ++round) {
        const std::uint64_t left = round / 5 + 1;  // new contents now and then
        const test::Ran ran = run(context, call, choices, {left, ++number});
        wrong += difference_of_run(call, verdict, ran, choices).empty() ? 0 : 1;
        if (t == 0) forget(context, left);
        if (t == 1) context.prepared().give_way(UINT64_MAX);
        if (t == 2 && round == 10) context.prepared().clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(context.prepared().bytes(), mib / 2);
}

}  // namespace
}  // namespace ab::ops
