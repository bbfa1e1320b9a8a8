// SPDX-License-Identifier: MIT
// Every call of a product may fail: it then ends complete and right, or with an Error or a decline and C byte for byte as it was, and
// nothing that was taken from Metal is lost.
#include "core/error.hpp"
#include "device/metal/metal_device.hpp"
#include "ops/context.hpp"
#include "sim/metal/on_simulator.hpp"
#include "support/data.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

constexpr std::uint64_t cap_bytes = std::uint64_t{1} << 24;

using MetalFailures = OnSimulator;

Call drawn(const Shape& shape, Type type) {
  Random random(11);
  Recipe recipe;
  recipe.family = "uniform", recipe.shape = shape, recipe.type = type;
  recipe.alpha = {1.5, 0}, recipe.beta = {-0.5, 0}, recipe.padding = 1;
  return make_call(recipe, random);
}

struct Trial {
  Call call;
  Precision precision;
  ModuliFamily family = ModuliFamily::Ten;
};

struct Opened {
  std::unique_ptr<device::Device> device = device::open_metal(0);
  ops::Context context{1, *device, cap_bytes};
};

// What is wrong with the product when calls fail as they were told to; `errors` counts those that came out.
std::string run_once(const Trial& trial, const Verdict& verdict, Opened* opened, long& errors) {
  Ran ran;
  ran.c = trial.call.c;
  const ops::Choices choices = choices_for(trial.precision, trial.family);
  try {
    std::optional<Opened> own;
    if (opened == nullptr) opened = &own.emplace();
    ran = run_call(opened->context, trial.call, Way::Adopted, choices);
  } catch (const Error& error) {
    ran.error = error.what();
  }
  errors += ran.error.empty() ? 0 : 1;
  if (!ran.others_kept) return "something besides C was written";
  if (ran.error.empty() && !ran.outcome.declined) return difference_of_run(trial.call, verdict, ran, choices);
  const std::string written = difference(trial.call, trial.call.c, ran.c);
  return written.empty() ? "" : "C was written before " + ran.error + ": " + written;
}

// On one device that goes on after each failure: nothing of a failed product may be taken for done in the next.
TEST_F(MetalFailures, CallsOfProductsOnAnOpenDevice) {
  for (const Trial& trial :
       {Trial{drawn({3, 4, 9}, Type::Real), Precision::Fp64}, Trial{drawn({3, 2, 17}, Type::Complex), Precision::Fast, ModuliFamily::Int8},
        Trial{drawn({3, 2, 17}, Type::Complex), Precision::DoubleFloat}}) {
    const Verdict verdict = judge(trial.call, trial.precision);
    Opened opened;
    for (const char* place : {"first", "later"}) {  // the first product compiles its kernels
      long n = 0, calls = 0, errors = 0;
      do {
        metal::fail_at(++n, metal::OutOfMemory);
        ASSERT_EQ(run_once(trial, verdict, &opened, errors), "") << place << ", call " << n;
        calls = metal::calls();
        metal::fail_at(0, metal::Internal);
      } while (calls >= n && n < 1000);
      EXPECT_LT(n, 1000);
      EXPECT_GT(errors, 3) << place;
    }
  }
}

TEST_F(MetalFailures, CommandBuffersOfAProduct) {
  const Trial trial{drawn({3, 4, 9}, Type::Real), Precision::Strict};
  const Verdict verdict = judge(trial.call, trial.precision);
  Opened opened;
  long errors = 0;
  metal::fail_command_buffer(0, metal::Internal);
  ASSERT_EQ(run_once(trial, verdict, &opened, errors), "");
  const long count = metal::command_buffers();
  EXPECT_GE(count, 2);  // the scan is read before the plan is made
  for (const metal::ErrorCode code : {metal::Internal, metal::Timeout, metal::PageFault, metal::OutOfMemory}) {
    for (long n = 1; n <= count; ++n) {
      metal::fail_command_buffer(n, code);
      errors = 0;
      EXPECT_EQ(run_once(trial, verdict, &opened, errors), "") << n;
      EXPECT_EQ(errors, 1) << n;
    }
  }
}

TEST_F(MetalFailures, ALostDevice) {
  const Trial trial{drawn({3, 4, 9}, Type::Real), Precision::Strict};
  const Verdict verdict = judge(trial.call, trial.precision);
  for (const metal::ErrorCode code : {metal::DeviceRemoved, metal::AccessRevoked}) {
    Opened opened;
    long errors = 0;
    metal::fail_command_buffer(2, code);
    EXPECT_EQ(run_once(trial, verdict, &opened, errors), "");
    EXPECT_EQ(errors, 1);
    metal::fail_command_buffer(0, code);
    EXPECT_EQ(run_once(trial, verdict, &opened, errors), "");
    EXPECT_EQ(errors, 2);  // it stays lost
  }
}

TEST_F(MetalFailures, LargeProductsAreCutIntoBuffersOfTheDevice) {
  metal::set_limits({.buffer_bytes = std::size_t{4} << 20});
  const Trial trial{drawn({64, 8, 4000}, Type::Real), Precision::Fp64};  // the residues of A are more
  long errors = 0;
  EXPECT_EQ(run_once(trial, judge(trial.call, trial.precision), nullptr, errors), "");
  EXPECT_EQ(errors, 0);
  const Trial wide{drawn({750, 2, 750}, Type::Real), Precision::Fp64};  // A alone is more
  EXPECT_EQ(run_once(wide, judge(wide.call, wide.precision), nullptr, errors), "");
  EXPECT_EQ(errors, 0);
}

}  // namespace
}  // namespace ab::test
