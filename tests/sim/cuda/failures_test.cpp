// SPDX-License-Identifier: MIT
// Every driver call may fail, from the opening of the device on: a product then ends complete and right, or with an Error or a decline
// and C byte for byte as it was; and nothing that was taken from the driver is lost.
#include "core/error.hpp"
#include "device/cuda/cuda_device.hpp"
#include "ops/context.hpp"
#include "sim/cuda/fake.hpp"
#include "support/data.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

constexpr std::uint64_t cap_bytes = std::uint64_t{1} << 24;

class CudaFailures : public OnFakeDriver {
 protected:
  void SetUp() override { ASSERT_EQ(device::describe_cuda().size(), 2u); }  // a driver that is not initialised never comes back
};

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

// What is wrong with the product when the driver fails as it was told to; `errors` counts those that came out.
std::string run_once(const Trial& trial, const Verdict& verdict, long& errors) {
  Ran ran;
  ran.c = trial.call.c;
  const ops::Choices choices = choices_for(trial.precision, trial.family);
  try {
    const std::unique_ptr<device::Device> device = device::open_cuda(0);
    ops::Context context(1, *device, cap_bytes);
    ran = run_call(context, trial.call, Way::Copied, choices);
  } catch (const Error& error) {
    ran.error = error.what();
  }
  errors += ran.error.empty() ? 0 : 1;
  if (!ran.others_kept) return "something besides C was written";
  if (ran.error.empty() && !ran.outcome.declined) return difference_of_run(trial.call, verdict, ran, choices);
  const std::string written = difference(trial.call, trial.call.c, ran.c);
  return written.empty() ? "" : "C was written before " + ran.error + ": " + written;
}

void fail_everywhere(const Trial& trial, int result, FakeFailures failures) {
  constexpr long most_calls = 20000;
  const Verdict verdict = judge(trial.call, trial.precision);
  long n = 0, calls = 0, errors = 0;
  do {
    fake().fail_at(++n, result, failures);
    const std::string wrong = run_once(trial, verdict, errors);
    calls = fake().calls();
    fake().fail_at(0, 0, FakeFailures::One);
    fake().repair();
    ASSERT_EQ(wrong, "") << "call " << n << " failed with " << result;
    ASSERT_EQ(fake().alive().total(), 0) << "call " << n << " failed with " << result;
    ASSERT_EQ(fake().violations(), 0) << "call " << n << ": " << fake().first_violation();
  } while (calls >= n && n < most_calls);
  EXPECT_GT(errors, 50);
  EXPECT_LT(n, most_calls);
}

TEST_F(CudaFailures, OfTheIntegerClass) {
  const Trial trial{drawn({3, 4, 9}, Type::Real), Precision::Fp64};
  for (const int result : {invalid_value, out_of_memory, illegal_address}) fail_everywhere(trial, result, FakeFailures::One);
}

TEST_F(CudaFailures, OfComplexProductsInTenBits) {
  fail_everywhere({drawn({3, 2, 17}, Type::Complex), Precision::Fast, ModuliFamily::Ten}, launch_failed, FakeFailures::One);
}

TEST_F(CudaFailures, OfDoubleFloat) {
  fail_everywhere({drawn({3, 2, 17}, Type::Complex), Precision::DoubleFloat}, invalid_value, FakeFailures::One);
}

TEST_F(CudaFailures, AllFromThere) {
  const Trial trial{drawn({3, 4, 9}, Type::Real), Precision::Strict};
  for (const int result : {out_of_memory, launch_failed}) fail_everywhere(trial, result, FakeFailures::AllFromThere);
}

TEST_F(CudaFailures, FaultingKernels) {
  const Trial trial{drawn({3, 4, 9}, Type::Real), Precision::Fp64};
  const Verdict verdict = judge(trial.call, trial.precision);
  for (long n = 1; n <= 3; ++n) {
    long errors = 0;
    fake().fault_at_launch(n);
    EXPECT_EQ(run_once(trial, verdict, errors), "");
    EXPECT_EQ(errors, 1);
    fake().fault_at_launch(0);
    fake().repair();
    EXPECT_EQ(fake().alive().total(), 0);
  }
}

TEST_F(CudaFailures, TooLittleMemoryIsAnErrorAndCIsKept) {
  const Trial trial{drawn({40, 40, 40}, Type::Real), Precision::Fp64};
  const Verdict verdict = judge(trial.call, trial.precision);
  long errors = 0, runs = 0;
  for (std::size_t bytes = 10000; bytes < 4000000; bytes = bytes * 5 / 4, ++runs) {
    fake().limit_memory(bytes);
    EXPECT_EQ(run_once(trial, verdict, errors), "") << bytes;
  }
  EXPECT_GT(errors, 0);
  EXPECT_LT(errors, runs);
}

}  // namespace
}  // namespace ab::test
