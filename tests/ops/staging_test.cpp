// SPDX-License-Identifier: MIT
#include "ops/staging.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

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
  explicit Devices(HostMemory memory) : device_(device::open(0)) {
    if (memory == HostMemory::MustBeCopied) device_.has_own_memory();
    context_ = std::make_unique<Context>(0, device_, std::uint64_t{1} << 26);
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
    EXPECT_TRUE(staged.fits());
    EXPECT_TRUE(staged.choices().private_result);
    const bool copied = devices == &copying;
    EXPECT_EQ(devices->device().calls(), copied ? 3 + 6 + 6 : 0);  // buffers of A, B, C and columns of A and B; nothing
    EXPECT_EQ(staged.choices().cap_bytes, choices.cap_bytes - (copied ? 8 * (12 + 18 + 24) : 0));
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

TEST(Staging, NothingIsCopiedWhenItDoesNotFit) {
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
  choices.cap_bytes = 8 * (12 + 18 + 24) - 1;
  EXPECT_FALSE(Staged<double>(devices.context(), problem, choices).fits());
  EXPECT_EQ(devices.device().calls(), 0);
  ++choices.cap_bytes;
  EXPECT_TRUE(Staged<double>(devices.context(), problem, choices).fits());
  choices.cap_bytes = 0, choices.may_exceed_cap = true;
  EXPECT_TRUE(Staged<double>(devices.context(), problem, choices).fits());
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
