// SPDX-License-Identifier: MIT
// Every call of a product may fail: it then ends complete and right, or with an Error or a decline and C byte for byte as it was, and
// nothing that was taken from the driver is lost.
#include <cstdlib>

#include "core/error.hpp"
#include "device/vulkan/vulkan_device.hpp"
#include "ops/context.hpp"
#include "sim/vulkan/failing.hpp"
#include "support/data.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

constexpr std::uint64_t cap_bytes = std::uint64_t{1} << 24;

using VulkanFailuresOf = OnVulkan;

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
  ModuliFamily family = ModuliFamily::Int8;
};

// A device of the trial's own.
struct Opened {
  std::unique_ptr<device::Device> device = device::open_vulkan(0);
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
    ran = run_call(opened->context, trial.call, Way::Copied, choices);
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
TEST_F(VulkanFailuresOf, CallsOfProductsOnAnOpenDevice) {
  for (const Trial& trial :
       {Trial{drawn({3, 4, 9}, Type::Real), Precision::Fp64}, Trial{drawn({3, 2, 17}, Type::Complex), Precision::Fast, ModuliFamily::Ten},
        Trial{drawn({3, 2, 17}, Type::Complex), Precision::DoubleFloat}}) {
    const Verdict verdict = judge(trial.call, trial.precision);
    Opened opened;
    for (const char* place : {"first", "later"}) {  // the first product compiles its kernels
      long n = 0, calls = 0, errors = 0;
      do {
        failing().fail_at(++n, VK_ERROR_OUT_OF_HOST_MEMORY, VulkanFailures::One);
        ASSERT_EQ(run_once(trial, verdict, &opened, errors), "") << place << ", call " << n;
        calls = failing().calls();
        failing().fail_at(0, 0, VulkanFailures::One);
      } while (calls >= n && n < 2000);
      EXPECT_LT(n, 2000);
      EXPECT_GT(errors, 5) << place;
    }
  }
}

TEST_F(VulkanFailuresOf, ALostDevice) {
  const Trial trial{drawn({3, 4, 9}, Type::Real), Precision::Strict};
  const Verdict verdict = judge(trial.call, trial.precision);
  long calls = 0, errors = 0;
  failing().fail_at(0, 0, VulkanFailures::One);
  ASSERT_EQ(run_once(trial, verdict, nullptr, errors), "");
  calls = failing().calls();
  for (long n = 3; n < calls; n += 9) {
    errors = 0;
    failing().fail_at(n, VK_ERROR_DEVICE_LOST, VulkanFailures::AllFromThere);
    EXPECT_EQ(run_once(trial, verdict, nullptr, errors), "") << n;
    EXPECT_EQ(errors, 1) << n;
    failing().fail_at(0, 0, VulkanFailures::One);
    ASSERT_EQ(failing().alive(), alive_before_) << n;
  }
}

TEST_F(VulkanFailuresOf, LargeProductsAreCutIntoBuffersOfTheDevice) {
  setenv("AB_FAKE_VULKAN", "small_buffers", 1);                          // four megabytes each
  const Trial trial{drawn({64, 8, 5000}, Type::Real), Precision::Fp64};  // 15 residues of A are more
  long errors = 0;
  EXPECT_EQ(run_once(trial, judge(trial.call, trial.precision), nullptr, errors), "");
  EXPECT_EQ(errors, 0);
  const Trial wide{drawn({750, 2, 750}, Type::Real), Precision::Fp64};  // A alone is more
  EXPECT_EQ(run_once(wide, judge(wide.call, wide.precision), nullptr, errors), "");
  EXPECT_EQ(errors, 0);
  unsetenv("AB_FAKE_VULKAN");
}

}  // namespace
}  // namespace ab::test
