// SPDX-License-Identifier: MIT
// The library's life on CUDA devices: default and chosen device, refusals, opening and closing, threads, fork.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "core/error.hpp"
#include "device/registry.hpp"
#include "ops/context.hpp"
#include "ops/host_memory.hpp"
#include "sim/cuda/fake.hpp"
#include "support/golden.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

class CudaLibrary : public OnFakeDriver {
 protected:
  void SetUp() override {
    ops::shutdown();
    for (int i = 0; i < device::count(); ++i) device::set_trust(i, {});
  }
};

int wrong_products(ops::Context& context, Precision precision = Precision::Fp64) {
  int wrong = 0;
  for (const GoldenProduct& golden : golden_products()) {
    const ops::Choices choices = choices_for(precision);
    const Ran ran = run_call(context, golden.call, exists(Way::Copied, golden.call) ? Way::Copied : Way::Resident, choices);
    wrong += difference_of_run(golden.call, golden.expect.at(precision), ran, choices).empty() ? 0 : 1;
  }
  return wrong;
}

TEST_F(CudaLibrary, ACudaDeviceIsTheDefault) {
  EXPECT_EQ(device::count(), 3);
  EXPECT_EQ(device::default_order(), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(ops::current_device_index(), 1);
  ops::initialize();
  EXPECT_EQ(device::trust_of(1).trust, device::Trust::Passed);
  EXPECT_EQ(device::trust_of(2).trust, device::Trust::Untested);
  EXPECT_EQ(ops::index_of(*ops::current_context()), 1);
  EXPECT_EQ(wrong_products(*ops::current_context()), 0);
}

TEST_F(CudaLibrary, OpensAndClosesWithoutLosingAnything) {
  for (int round = 0; round < 3; ++round) {
    ops::initialize();
    EXPECT_EQ(wrong_products(*ops::current_context()), 0);
    EXPECT_GT(fake().alive().device_bytes, 0u);
    ops::shutdown();
    const FakeAlive alive = fake().alive();
    EXPECT_EQ(alive.device_bytes, 0u);
    EXPECT_EQ(alive.streams + alive.events + alive.pinned_buffers, 0);
    EXPECT_EQ(alive.contexts, 1);  // the device and its image stay open
    EXPECT_EQ(alive.modules, 2);
  }
}

TEST_F(CudaLibrary, TheNextDeviceIsTheDefaultWhenOneIsRefused) {
  device::set_trust(1, {device::Trust::Refused, "adds wrongly"});
  EXPECT_EQ(ops::current_device_index(), 2);
  device::set_trust(2, {device::Trust::Refused, "adds wrongly"});
  ops::initialize();
  EXPECT_EQ(ops::index_of(*ops::current_context()), 0);
  EXPECT_THROW(ops::select_device(1), Error);
}

TEST_F(CudaLibrary, ADeviceThatDoesNotOpenIsPassedOver) {
  fake().fail_at(1, invalid_value, FakeFailures::AllFromThere);
  ops::initialize();
  EXPECT_EQ(ops::index_of(*ops::current_context()), 0);
  EXPECT_EQ(device::trust_of(1).trust, device::Trust::Refused);
  EXPECT_NE(device::trust_of(1).reason.find("failed: CUDA_ERROR_"), std::string::npos) << device::trust_of(1).reason;
}

TEST_F(CudaLibrary, ThreadsOnTwoDevicesAndOnOne) {
  std::vector<std::shared_ptr<ops::Context>> contexts(2);
  for (int i = 0; i < 2; ++i) {
    std::thread([&, i] {
      ops::select_device(i + 1);
      contexts[static_cast<std::size_t>(i)] = ops::current_context();
    }).join();
  }
  std::vector<int> wrong(4, -1);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] { wrong[t] = wrong_products(*contexts[t % 2], device_classes[t]); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST_F(CudaLibrary, RegisteredOperandsAreReadInPlaceWithTheSameBits) {
  ops::initialize();
  ops::Context& context = *ops::current_context();
  int in_place = 0;
  for (const GoldenProduct& golden : golden_products()) {
    if (golden.call.kind != Kind::Gemm || golden.call.a.empty() || golden.call.b.empty()) continue;
    Call call = golden.call;
    const auto plain_calls = [&] {
      fake().fail_at(0, 0, FakeFailures::One);
      const Ran ran = run_in_place(context, call, choices_for(Precision::Fp64));
      EXPECT_EQ(difference(call, golden.expect.at(Precision::Fp64).c, ran.c), "");
      EXPECT_EQ(ran.error, "");
      return fake().calls();
    };
    plain_calls();  // takes buffers, uploads constants
    const long copied = plain_calls();
    ops::register_host_memory(call.a.data(), 8 * call.a.size());
    ops::register_host_memory(call.b.data(), 8 * call.b.size());
    plain_calls();  // takes the ranges
    in_place += plain_calls() < copied ? 1 : 0;
    ops::unregister_host_memory(call.a.data());
    ops::unregister_host_memory(call.b.data());
    EXPECT_NEAR(static_cast<double>(plain_calls()), static_cast<double>(copied), 6);  // pinned memory is at another place of its ring
  }
  EXPECT_GT(in_place, 10);
  std::vector<double> words(64);
  ops::register_host_memory(words.data(), 8 * words.size());
  ASSERT_NE(ops::find_registered(std::as_bytes(std::span(words)))->place(context).memory, nullptr);
  const long pinned = fake().alive().pinned_buffers;
  ops::shutdown();
  EXPECT_LT(fake().alive().pinned_buffers, pinned);  // given back, but still registered
  EXPECT_TRUE(ops::find_registered(std::as_bytes(std::span(words))).has_value());
  ops::unregister_host_memory(words.data());
}

TEST_F(CudaLibrary, AForkedChildHasTheCpuDevice) {
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
    _exit(wrong + (fake().violations() == 0 ? 0 : 16));
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(wrong_products(*parents), 0);
}

}  // namespace
}  // namespace ab::test
