// SPDX-License-Identifier: MIT
// Every call to a device may fail: each product then ends complete and right, or with an Error or a decline and C byte for byte as
// it was; and no memory is lost.
#include <gtest/gtest.h>

#include "device/registry.hpp"
#include "ops/prepared.hpp"
#include "support/data.hpp"
#include "support/faulty_device.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

enum class HostMemory { Usable, MustBeCopied };

struct Trial {
  std::string name;
  Call call;
  Precision precision = Precision::Fp64;
  Index cap_bytes = -1;
  ModuliFamily family = ModuliFamily::Int8;
};

Call drawn(const Recipe& recipe, std::uint64_t start = 1) {
  Random random(start);
  return make_call(recipe, random);
}

Recipe recipe_of(std::string_view family, const Shape& shape, Type type = Type::Real) {
  Recipe recipe;
  recipe.family = family, recipe.shape = shape, recipe.type = type;
  recipe.alpha = {1.5, 0}, recipe.beta = {-0.5, 0}, recipe.padding = 1;
  return recipe;
}

std::vector<Trial> trials() {
  std::vector<Trial> out;
  for (const Precision precision : device_classes) {
    out.push_back({"real", drawn(recipe_of("uniform", {3, 4, 9})), precision});
    out.push_back({"complex", drawn(recipe_of("uniform", {3, 2, 17}, Type::Complex)), precision});
  }
  Recipe tiny = recipe_of("uniform", {2, 3, 16}, Type::Complex);
  tiny.edit = [](Matrices& x) { tilt(x, -40, -40); };
  out.push_back({"split", drawn(tiny), Precision::Fp64});
  out.push_back({"second look", drawn(recipe_of("opposed", {3, 3, 24}))});
  Recipe ieee = recipe_of("uniform", {3, 3, 4});
  ieee.edit = [](Matrices& x) { x.at_a(1, 1) = double_of(infinity_word); };
  out.push_back({"ieee", drawn(ieee)});
  Recipe nothing = recipe_of("uniform", {3, 3, 4});
  nothing.alpha = {0, 0};
  out.push_back({"trivial", drawn(nothing)});
  out.push_back({"blocks", drawn(recipe_of("small", {65, 2, 3})), Precision::Fp64, 0});
  out.push_back({"blocks of double-float", drawn(recipe_of("small", {2, 65, 3})), Precision::DoubleFloat, 0});
  out.push_back({"blocks of ten bits", drawn(recipe_of("small", {1, 1, 1100}, Type::Complex)), Precision::Fast, 0, ModuliFamily::Ten});
  Recipe herk = recipe_of("small", {65, 65, 2}, Type::Complex);
  herk.kind = Kind::Herk, herk.triangle = Triangle::Lower;
  out.push_back({"blocks of a triangle", drawn(herk), Precision::Strict, 0});
  return out;
}

ops::Choices choices_of(const Trial& trial) {
  ops::Choices choices = choices_for(trial.precision, trial.family);
  choices.cap_bytes = trial.cap_bytes;
  choices.may_exceed_cap = true;
  return choices;
}

struct Attempt {
  Ran ran;
  Index calls;  // of the product
};

Attempt attempt(ops::Context& context, FaultyDevice& device, const Trial& trial, Way way) {
  if (way != Way::Resident) {
    const Ran ran = run_call(context, trial.call, way, choices_of(trial));
    return {ran, device.calls()};
  }
  const Index failing = device.failing_call();
  device.fail_at(0);
  const ResidentCall resident(context, trial.call);
  device.fail_at(failing, device.failures());
  Outcome outcome;
  std::string error;
  try {
    outcome = ops::multiply(context, resident.product(), choices_of(trial));
  } catch (const Error& caught) {
    error = caught.what();
  }
  const Index calls = device.calls();
  device.fail_at(0);
  Ran ran = resident.read_back();
  ran.outcome = outcome, ran.error = error;
  return {ran, calls};
}

std::string judged(const Trial& trial, const Verdict& verdict, const Ran& ran) {
  if (!ran.others_kept) return "something besides C was written";
  if (ran.error.empty() && !ran.outcome.declined) return difference_of_run(trial.call, verdict, ran, choices_of(trial));
  const std::string written = difference(trial.call, trial.call.c, ran.c);
  return written.empty() ? "" : "C was written before " + ran.error + ": " + written;
}

void fail_everywhere(HostMemory memory, Way way, Failures failures, std::uint64_t largest_buffer = 0) {
  constexpr Index most_calls = 10000;
  FaultyDevice device(device::open(0));
  if (memory == HostMemory::MustBeCopied) device.has_own_memory();
  if (largest_buffer > 0) device.has_largest_buffer(largest_buffer);
  ops::Context context(0, device, std::uint64_t{1} << 24);
  for (const Trial& trial : trials()) {
    if (!exists(way, trial.call)) continue;
    const Verdict verdict = judge(trial.call, trial.precision);
    std::string wrong;
    Index n = 0, calls = 0, errors = 0;
    do {
      device.fail_at(++n, failures);
      const Attempt done = attempt(context, device, trial, way);
      calls = done.calls, errors += done.ran.error.empty() ? 0 : 1;
      wrong = judged(trial, verdict, done.ran);
      device.fail_at(0);
      context.prepared().clear();  // constants of moduli
      context.pool().trim();
      if (device.bytes_alive() != 0) wrong += " memory is lost";
    } while (wrong.empty() && calls >= n && n < most_calls);
    EXPECT_EQ(wrong, "") << trial.name << ", class " << word_of(trial.precision) << ", call " << n;
    EXPECT_GT(errors, 0) << trial.name;
    EXPECT_LT(n, most_calls) << trial.name;
  }
}

TEST(Failures, ResidentProducts) {
  fail_everywhere(HostMemory::Usable, Way::Resident, Failures::One);
}
TEST(Failures, ResidentProductsOnADeviceThatIsLost) {
  fail_everywhere(HostMemory::Usable, Way::Resident, Failures::AllFromThere);
}
TEST(Failures, StagedProducts) {
  fail_everywhere(HostMemory::Usable, Way::Adopted, Failures::One);
}
TEST(Failures, CopiedProducts) {
  fail_everywhere(HostMemory::MustBeCopied, Way::Copied, Failures::One);
}
TEST(Failures, CopiedProductsOnADeviceThatIsLost) {
  fail_everywhere(HostMemory::MustBeCopied, Way::Copied, Failures::AllFromThere);
}

// Buffers that hold one vector, but not an operand.
TEST(Failures, ProductsCopiedInBlocks) {
  for (const std::uint64_t bytes : {100, 280}) fail_everywhere(HostMemory::MustBeCopied, Way::Copied, Failures::One, bytes);
}

}  // namespace
}  // namespace ab::test
