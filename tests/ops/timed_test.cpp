// SPDX-License-Identifier: MIT
// What a product tells a recording: its stages in their order, one after the other, and what it copies or reads in place.
#include "ops/timed.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "device/registry.hpp"
#include "ops/gemm.hpp"
#include "support/faulty_device.hpp"

namespace ab::ops {
namespace {

class Listener final : public CallWatch {
 public:
  Listener() { thread_state().watch = this; }
  ~Listener() { thread_state().watch = nullptr; }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void ended(Stage stage, std::uint64_t start_ns, std::uint64_t end_ns) noexcept override {
    EXPECT_LE(last_ns_, start_ns);  // none inside another one
    EXPECT_LE(start_ns, end_ns);
    last_ns_ = end_ns;
    if (stages.empty() || stages.back() != word_of(stage)) stages.emplace_back(word_of(stage));
  }
  void copied_in(Index bytes) noexcept override { bytes_in += bytes; }
  void copied_out(Index bytes) noexcept override { bytes_out += bytes; }
  void read_in_place(char operand) noexcept override { in_place += operand; }

  std::vector<std::string> stages;
  Index bytes_in = 0, bytes_out = 0;
  std::string in_place;

 private:
  std::uint64_t last_ns_ = 0;
};

constexpr Index m = 4, n = 3, k = 9;

enum class HostMemory { Usable, MustBeCopied };

struct Heard {
  std::vector<std::string> stages;
  Index bytes_in, bytes_out;
  std::string in_place;
};

Heard hear(HostMemory memory, Precision precision, double beta = 0) {
  test::FaultyDevice device(device::open(0));
  if (memory == HostMemory::MustBeCopied) device.has_own_memory();
  Context context(0, device, std::uint64_t{1} << 26);
  const std::vector<double> a(m * k, 1.5), b(k * n, 0.75);
  std::vector<double> c(m * n, 2);
  Choices choices;
  choices.precision = precision;
  const Listener listener;
  const Outcome outcome =
      gemm(context, GemmProblem<double>{m, n, k, 1, {a.data(), m, Op::None}, {b.data(), k, Op::None}, beta, {c.data(), m}}, choices);
  EXPECT_FALSE(outcome.declined);
  EXPECT_EQ(c, std::vector<double>(m * n, k * 1.5 * 0.75 + 2 * beta));
  return {listener.stages, listener.bytes_in, listener.bytes_out, listener.in_place};
}

TEST(Timed, StagesOfAProductThatIsCopied) {
  const Heard heard = hear(HostMemory::MustBeCopied, Precision::Fp64);
  std::vector<std::string> expected = {"stage", "scan", "plan", "residues", "multiply", "reconstruct", "fetch"};
  if (device::open(0).traits().product_scratch_bytes > 0) expected.erase(expected.begin() + 5);  // in the launch that multiplies
  EXPECT_EQ(heard.stages, expected);
  EXPECT_EQ(heard.bytes_in, 8 * (m * k + k * n));
  EXPECT_EQ(heard.bytes_out, 8 * m * n);
  EXPECT_EQ(heard.in_place, "");
  EXPECT_EQ(hear(HostMemory::MustBeCopied, Precision::Fp64, 1).bytes_in, 8 * (m * k + k * n + m * n));
}

TEST(Timed, StagesOfDoubleFloat) {
  const std::vector<std::string> expected = {"stage", "scan", "pack", "multiply", "unpack", "fetch"};
  EXPECT_EQ(hear(HostMemory::MustBeCopied, Precision::DoubleFloat).stages, expected);
}

TEST(Timed, OperandsInPlaceAreNotCopied) {
  const Heard heard = hear(HostMemory::Usable, Precision::Fp64);
  EXPECT_EQ(heard.bytes_in, 0);
  EXPECT_EQ(heard.in_place, "ab");
}

TEST(Timed, NobodyHearsWhatBelongsToNoCall) {
  const Listener listener;
  {
    const Unwatched unwatched;
    EXPECT_EQ(thread_state().watch, nullptr);
  }
  EXPECT_EQ(thread_state().watch, &listener);
}

TEST(Timed, GivesWhatTheStepGives) {
  Context context(0, device::open(0), std::uint64_t{1} << 20);
  EXPECT_EQ(timed(context, Stage::Plan, [] { return 7; }), 7);
  const Listener listener;
  EXPECT_EQ(timed(context, Stage::Plan, [] { return 7; }), 7);
  EXPECT_THROW(timed(context, Stage::Scan, []() -> int { throw Error(Status::KernelFailed, "x"); }), Error);
  EXPECT_EQ(listener.stages, std::vector<std::string>{"plan"});
}

}  // namespace
}  // namespace ab::ops
