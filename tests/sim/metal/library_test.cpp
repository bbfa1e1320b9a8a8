// SPDX-License-Identifier: MIT
// The library's life on a Metal device: the default, opening and closing, threads, fork.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "core/error.hpp"
#include "device/registry.hpp"
#include "ops/context.hpp"
#include "sim/metal/on_simulator.hpp"
#include "support/golden.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

class MetalLibrary : public OnSimulator {
 protected:
  void SetUp() override {
    ops::shutdown();
    for (int i = 0; i < device::count(); ++i) device::set_trust(i, {});
  }
  void TearDown() override {
    ops::shutdown();
    alive_before_ = metal::alive();  // the device, and its kernels, stay open
    OnSimulator::TearDown();
  }
};

// A few golden products of a class.
int wrong_products(ops::Context& context, Precision precision = Precision::Fp64) {
  int wrong = 0;
  for (std::size_t i = 0; i < golden_products().size(); i += 7) {
    const GoldenProduct& golden = golden_products()[i];
    const ops::Choices choices = choices_for(precision, ModuliFamily::Ten);
    const Ran ran = run_call(context, golden.call, exists(Way::Adopted, golden.call) ? Way::Adopted : Way::Resident, choices);
    wrong += difference_of_run(golden.call, golden.expect.at(precision), ran, choices).empty() ? 0 : 1;
  }
  return wrong;
}

TEST_F(MetalLibrary, AMetalDeviceIsTheDefault) {
  EXPECT_EQ(device::count(), 2);
  EXPECT_EQ(device::default_order(), (std::vector<int>{1, 0}));
  ops::initialize();
  EXPECT_EQ(device::trust_of(1).trust, device::Trust::Passed);
  EXPECT_EQ(ops::index_of(*ops::current_context()), 1);
  EXPECT_EQ(wrong_products(*ops::current_context()), 0);
}

TEST_F(MetalLibrary, OpensAndClosesWithoutLosingAnything) {
  long alive = 0;
  for (int round = 0; round < 3; ++round) {
    ops::initialize();
    EXPECT_EQ(wrong_products(*ops::current_context()), 0);
    ops::shutdown();
    if (round > 0) {
      EXPECT_EQ(metal::alive(), alive);
    }
    alive = metal::alive();
  }
}

TEST_F(MetalLibrary, ADeviceThatDoesNotOpenIsPassedOver) {
  metal::fail_at(1, metal::Internal, metal::Failures::AllFromThere);
  ops::initialize();
  EXPECT_EQ(ops::index_of(*ops::current_context()), 0);
  EXPECT_EQ(device::trust_of(1).trust, device::Trust::Refused);
  EXPECT_NE(device::trust_of(1).reason, "");
}

TEST_F(MetalLibrary, ThreadsOnOneDevice) {
  ops::initialize();
  const std::shared_ptr<ops::Context> context = ops::current_context();
  std::vector<int> wrong(3, -1);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) threads.emplace_back([&, t] { wrong[t] = wrong_products(*context, device_classes[t]); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(3, 0));
}

TEST_F(MetalLibrary, AForkedChildHasTheCpuDevice) {
  ops::initialize();
  const std::shared_ptr<ops::Context> parents = ops::current_context();
  EXPECT_EQ(wrong_products(*parents), 0);
  const pid_t child = fork();
  if (child == 0) {
    int wrong = ops::alive(*parents) ? 1 : 0;
    try {
      ops::initialize();
      wrong += ops::index_of(*ops::current_context()) == 0 ? 0 : 2;
      wrong += wrong_products(*ops::current_context()) == 0 ? 0 : 4;
      ops::shutdown();
    } catch (const Error&) {
      wrong += 8;
    }
    _exit(wrong + (metal::violations() == 0 ? 0 : 16));
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(wrong_products(*parents), 0);
}

}  // namespace
}  // namespace ab::test
