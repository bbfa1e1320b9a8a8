// SPDX-License-Identifier: MIT
#include "ops/staging.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "core/error.hpp"
#include "device/registry.hpp"
#include "support/data.hpp"
#include "support/faulty_device.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

// An array that ends where the readable memory ends.
class AtTheEdge {
 public:
  explicit AtTheEdge(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    mapped_ = (bytes + page - 1) / page * page + page;
    base_ = static_cast<std::byte*>(mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + mapped_ - page, page, PROT_NONE);
    data_ = base_ + mapped_ - page - bytes;
  }
  ~AtTheEdge() { munmap(base_, mapped_); }
  AtTheEdge(const AtTheEdge&) = delete;
  AtTheEdge& operator=(const AtTheEdge&) = delete;
  double* data() const { return reinterpret_cast<double*>(data_); }

 private:
  std::byte* base_;
  std::size_t mapped_;
  std::byte* data_;
};

enum class HostMemory { Usable, MustBeCopied };

class Devices {
 public:
  explicit Devices(HostMemory memory, std::uint64_t cap_bytes = std::uint64_t{1} << 26) : device_(device::open(0)) {
    if (memory == HostMemory::MustBeCopied) device_.has_own_memory();
    context_ = std::make_unique<Context>(0, device_, cap_bytes);
  }
  Context& context() { return *context_; }
  test::FaultyDevice& device() { return device_; }

 private:
  test::FaultyDevice device_;
  std::unique_ptr<Context> context_;
};

test::Call padded_call() {
  test::Random random(81);
  test::Recipe recipe;
  recipe.shape = {3, 4, 6}, recipe.transb = Op::Transpose, recipe.padding = 5, recipe.beta = {1, 0};
  return make_call(recipe, random);
}

// The words an array must have: up to the last referenced entry of its last column.
std::size_t words_needed(Index rows, Index columns, Index ld) {
  return static_cast<std::size_t>((columns - 1) * ld + rows);
}

TEST(Staging, TouchesNothingBehindTheLastEntry) {
  const test::Call call = padded_call();
  const std::size_t a_words = words_needed(3, 6, call.lda), b_words = words_needed(4, 6, call.ldb), c_words = words_needed(3, 4, call.ldc);
  const AtTheEdge a(8 * a_words), b(8 * b_words), c(8 * c_words);
  std::memcpy(a.data(), call.a.data(), 8 * a_words);
  std::memcpy(b.data(), call.b.data(), 8 * b_words);
  const std::vector<double> expected = judge(call, Precision::Fp64).c;
  for (const HostMemory memory : {HostMemory::Usable, HostMemory::MustBeCopied}) {
    Devices devices(memory);
    std::memcpy(c.data(), call.c.data(), 8 * c_words);
    const GemmProblem<double> problem{
        3, 4, 6, 1.0, {a.data(), call.lda, Op::None}, {b.data(), call.ldb, Op::Transpose}, 1.0, {c.data(), call.ldc}};
    const Outcome outcome = gemm(devices.context(), problem, test::choices_for(Precision::Fp64));
    EXPECT_FALSE(outcome.declined);
    EXPECT_EQ(std::memcmp(c.data(), expected.data(), 8 * c_words), 0);
  }
}

TEST(Staging, OperandsThatAreNotReadMayPointAnywhere) {
  const auto* nowhere = reinterpret_cast<const double*>(std::uintptr_t{20});  // misaligned, so that it would have to be copied
  std::vector<double> c = {1, 2, 3, 4};
  const double nothing = 0;
  for (const HostMemory memory : {HostMemory::Usable, HostMemory::MustBeCopied}) {
    Devices devices(memory);
    for (const auto& [alpha, k] : {std::pair{0.0, Index{5}}, std::pair{1.0, Index{0}}}) {
      c = {1, 2, 3, 4};
      const GemmProblem<double> problem{2, 2, k, alpha, {nowhere, 2, Op::None}, {nullptr, 5, Op::None}, 2.0, {c.data(), 2}};
      EXPECT_FALSE(gemm(devices.context(), problem, test::choices_for(Precision::Fp64)).declined);
      EXPECT_EQ(c, (std::vector<double>{2, 4, 6, 8}));
    }
    const GemmProblem<double> empty{0, 2, 3, 1.0, {nowhere, 1, Op::None}, {&nothing, 3, Op::None}, 2.0, {nullptr, 1}};
    EXPECT_FALSE(gemm(devices.context(), empty, test::choices_for(Precision::Fp64)).declined);
  }
}

TEST(Staging, UsesOperandsInPlaceWhereTheDeviceCan) {
  const test::Call call = padded_call();
  const GemmProblem<double> problem{3,
                                    4,
                                    6,
                                    1.0,
                                    {call.a.data(), call.lda, Op::None},
                                    {call.b.data(), call.ldb, Op::Transpose},
                                    0.0,
                                    {const_cast<double*>(call.c.data()), call.ldc}};
  Choices choices = test::choices_for(Precision::Fp64);
  choices.cap_bytes = 1 << 20;
  Devices in_place(HostMemory::Usable), copying(HostMemory::MustBeCopied);
  for (Devices* devices : {&in_place, &copying}) {
    devices->device().fail_at(0);
    const Staged<double> staged(devices->context(), problem, choices);
    EXPECT_TRUE(staged.choices().private_result);
    const bool copied = devices == &copying;
    EXPECT_EQ(devices->device().calls(), copied ? 3 + 6 + 6 : 0);  // buffers of A, B, C and columns of A and B; nothing
    EXPECT_LE(staged.choices().cap_bytes, choices.cap_bytes - (copied ? 8 * (12 + 18 + 24) : 0));
    EXPECT_EQ(staged.choices().cap_bytes == choices.cap_bytes, !copied);
    EXPECT_EQ(staged.product().left.host, nullptr);
    EXPECT_EQ(staged.product().left.vector_stride, 1);
    EXPECT_EQ(staged.product().left.inner_stride, copied ? 3 : call.lda);
    EXPECT_EQ(staged.product().right.inner_stride, copied ? 4 : call.ldb);
    EXPECT_EQ(staged.product().c.column_stride, copied ? 3 : call.ldc);
  }
}

TEST(Staging, AResultThatIsReadIsWrittenLastEvenInPlace) {
  const test::Call call = padded_call();
  Devices in_place(HostMemory::Usable), copying(HostMemory::MustBeCopied);
  for (const double beta : {0.0, 1.0}) {
    const GemmProblem<double> problem{3,
                                      4,
                                      6,
                                      1.0,
                                      {call.a.data(), call.lda, Op::None},
                                      {call.b.data(), call.ldb, Op::Transpose},
                                      beta,
                                      {const_cast<double*>(call.c.data()), call.ldc}};
    Choices choices = test::choices_for(Precision::Fp64);
    choices.cap_bytes = 1 << 20;
    EXPECT_EQ(Staged<double>(in_place.context(), problem, choices).choices().private_result, beta == 0.0);
    EXPECT_TRUE(Staged<double>(copying.context(), problem, choices).choices().private_result);
  }
}

TEST(Staging, WhatDoesNotFitIsCopiedBlockByBlock) {
  const test::Call call = padded_call();
  const GemmProblem<double> problem{3,
                                    4,
                                    6,
                                    1.0,
                                    {call.a.data(), call.lda, Op::None},
                                    {call.b.data(), call.ldb, Op::Transpose},
                                    1.0,
                                    {const_cast<double*>(call.c.data()), call.ldc}};
  Choices choices = test::choices_for(Precision::Fp64);
  Devices devices(HostMemory::MustBeCopied);
  devices.device().fail_at(0);
  choices.cap_bytes = 8 * (12 + 18 + 24);
  const Staged<double> blocks(devices.context(), problem, choices);
  EXPECT_EQ(devices.device().calls(), 0);
  EXPECT_NE(blocks.product().left.host, nullptr);
  EXPECT_NE(blocks.product().right.host, nullptr);
  EXPECT_NE(blocks.product().c.host, nullptr);
  choices.cap_bytes = 0, choices.may_exceed_cap = true;
  EXPECT_EQ(Staged<double>(devices.context(), problem, choices).product().left.host, nullptr);
  devices.device().has_largest_buffer(8 * 20);  // A has 18 words, B and C 24 and 12
  EXPECT_NE(Staged<double>(devices.context(), problem, choices).product().right.host, nullptr);
}

// Real and complex, every letter, second looks, split forms: all of it in pieces that the cap allows.
std::vector<test::Call> large_calls() {
  std::vector<test::Call> calls;
  test::Random random(82);
  const auto add = [&](std::string_view family, const test::Shape& shape, test::Type type,
                       const std::function<void(test::Recipe&)>& change) {
    test::Recipe recipe;
    recipe.family = family, recipe.shape = shape, recipe.type = type, recipe.padding = 1;
    recipe.alpha = {-1.5, 0}, recipe.beta = {0.25, 0};
    change(recipe);
    calls.push_back(make_call(recipe, random));
    calls.back().name = std::string(family) + " " + std::to_string(calls.size());
  };
  add("uniform", {131, 150, 300}, test::Type::Real, [](test::Recipe&) {});
  add("normal", {150, 70, 700}, test::Type::Real, [](test::Recipe& r) { r.transa = r.transb = Op::Transpose; });
  add("tails", {300, 200, 65}, test::Type::Real, [](test::Recipe& r) { r.transb = Op::Transpose, r.beta = 0; });
  add("opposed", {70, 66, 1300}, test::Type::Real, [](test::Recipe& r) { r.transa = Op::Transpose; });
  add("uniform", {90, 80, 260}, test::Type::Complex, [](test::Recipe& r) { r.transa = Op::ConjugateTranspose; });
  add("uniform", {66, 70, 300}, test::Type::Complex, [](test::Recipe& r) { r.edit = [](test::Matrices& x) { tilt(x, -45, -45); }; });
  add("aligned", {66, 65, 1100}, test::Type::Complex,
      [](test::Recipe& r) { r.transb = Op::ConjugateTranspose, r.edit = [](test::Matrices& x) { tilt(x, -60, std::nullopt); }; });
  add("uniform", {100, 120, 400}, test::Type::Real, [](test::Recipe& r) { r.edit = [](test::Matrices& x) { x.at_a(1, 1) = NAN; }; });
  return calls;
}

class InBlocks : public testing::TestWithParam<std::size_t> {
 protected:
  // Runs under a cap; true when it was not declined.
  enum class Planes { AsTheyAre, Spread };
  bool run_under(Index cap, const test::Call& call, const test::Ran& expected, Precision precision, Planes planes) {
    SCOPED_TRACE(call.name + ", class " + word_of(precision) + ", cap " + std::to_string(cap));
    Devices devices(HostMemory::MustBeCopied, static_cast<std::uint64_t>(cap));
    const device::Traits& traits = devices.device().traits();
    constexpr Index unit = 16, bytes = 67 * 64;  // as AMX and VNNI want them
    if (planes == Planes::Spread) {
      devices.device().spreads_planes(std::max(unit, traits.vector_unit), std::max(bytes, traits.plane_padding_bytes));
    }
    Choices choices = test::choices_for(precision);
    choices.cap_bytes = cap;
    devices.device().fail_at(0);
    const test::Ran ran = run_call(devices.context(), call, test::Way::Copied, choices);
    EXPECT_EQ(ran.error, "");
    EXPECT_TRUE(ran.others_kept);
    EXPECT_LE(devices.context().pool().peak_bytes(), static_cast<std::uint64_t>(cap));
    if (ran.outcome.declined) {
      EXPECT_EQ(ran.outcome.declined->reason, Reason::MemoryCap);
      EXPECT_EQ(difference(call, call.c, ran.c), "");
      return false;
    }
    EXPECT_EQ(difference(call, expected.c, ran.c), "");
    EXPECT_EQ(test::difference_of_reports(expected.outcome.report, ran.outcome.report), "");
    for (const char* kernel : {"reconstruct_i8", "unpack_dd", "ieee_gemm"}) in_blocks_ += devices.device().launches_of(kernel) > 1 ? 1 : 0;
    return true;
  }
  int in_blocks_ = 0;
};

TEST_P(InBlocks, TheBitsAreThoseOfTheWholeAndTheCapHolds) {
  const test::Call call = large_calls()[GetParam()];
  for (const Precision precision : test::device_classes) {
    Devices whole(HostMemory::Usable);
    const test::Ran expected = run_call(whole.context(), call, test::Way::Adopted, test::choices_for(precision));
    ASSERT_EQ(expected.error, "");
    int done = 0;
    for (Index cap = 400 << 10; cap < 20 << 20; cap += cap / 4) {
      done += run_under(cap, call, expected, precision, Planes::AsTheyAre) ? 1 : 0;
      run_under(cap, call, expected, precision, Planes::Spread);
    }
    EXPECT_GT(done, 3) << call.name << " " << word_of(precision);
  }
  EXPECT_GT(in_blocks_, 0) << call.name;
}

INSTANTIATE_TEST_SUITE_P(Staging, InBlocks, testing::Range(std::size_t{0}, large_calls().size()));

// From 64 MiB on, without any need of the cap; with beta = 0 straight into C.
TEST(Staging, LargeResultsGoToTheHostInBlocks) {
  for (const double beta : {0.0, 0.25}) {
    test::Random random(83);
    test::Recipe recipe;
    recipe.family = "uniform", recipe.shape = {2900, 2901, 2}, recipe.padding = 1, recipe.alpha = {-1.5, 0}, recipe.beta = {beta, 0};
    const test::Call call = make_call(recipe, random);
    constexpr std::uint64_t cap = std::uint64_t{1} << 31;
    Devices whole(HostMemory::Usable, cap), devices(HostMemory::MustBeCopied, cap);
    const test::Ran expected = run_call(whole.context(), call, test::Way::Adopted, test::choices_for(Precision::Fp64));
    const test::Ran ran = run_call(devices.context(), call, test::Way::Copied, test::choices_for(Precision::Fp64));
    EXPECT_EQ(ran.error, "");
    EXPECT_TRUE(ran.others_kept);
    EXPECT_EQ(difference(call, expected.c, ran.c), "") << beta;
    EXPECT_EQ(devices.device().launches_of("reconstruct_i8") + devices.device().launches_of("crt_product_i8"), 6);  // 512 columns each
  }
}

TEST(Staging, WhatHasNoUsefulBlocksUnderTheCapIsDeclined) {
  const test::Call call = large_calls()[0];
  for (const Index cap : {0, 4096, 100 << 10}) {
    Devices devices(HostMemory::MustBeCopied);
    Choices choices = test::choices_for(Precision::Fp64);
    choices.cap_bytes = cap;
    const test::Ran ran = run_call(devices.context(), call, test::Way::Copied, choices);
    ASSERT_TRUE(ran.outcome.declined.has_value()) << cap;
    EXPECT_EQ(ran.outcome.declined->reason, Reason::MemoryCap);
    EXPECT_EQ(difference(call, call.c, ran.c), "");
  }
}

TEST(Staging, ScalingGoesBlockByBlockToo) {
  test::Call call = large_calls()[0];
  Devices whole(HostMemory::Usable), devices(HostMemory::MustBeCopied);
  call.alpha = 0;
  devices.device().has_largest_buffer(8 * 10000);
  const test::Ran expected = run_call(whole.context(), call, test::Way::Adopted, test::choices_for(Precision::Fp64));
  const test::Ran ran = run_call(devices.context(), call, test::Way::Copied, test::choices_for(Precision::Fp64));
  EXPECT_EQ(difference(call, expected.c, ran.c), "");
  EXPECT_GT(devices.device().launches_of("scale_result"), 1);
}

TEST(Staging, COnlyIsReadWhenBetaIsNotZero) {
  const test::Call call = padded_call();
  GemmProblem<double> problem{3,
                              4,
                              6,
                              1.0,
                              {call.a.data(), call.lda, Op::None},
                              {call.b.data(), call.ldb, Op::Transpose},
                              -0.0,
                              {const_cast<double*>(call.c.data()), call.ldc}};
  Choices choices = test::choices_for(Precision::Fp64);
  choices.cap_bytes = 1 << 20;
  Devices devices(HostMemory::MustBeCopied);
  const auto calls = [&] {
    devices.context().pool().trim();
    devices.device().fail_at(0);
    const Staged<double> staged(devices.context(), problem, choices);
    return devices.device().calls();
  };
  const Index without = calls();
  problem.beta = 0x1p-1074;
  EXPECT_EQ(calls(), without + 4);
}

}  // namespace
}  // namespace ab::ops
