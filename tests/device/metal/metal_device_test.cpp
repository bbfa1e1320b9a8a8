// SPDX-License-Identifier: MIT
#include "device/metal/metal_device.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "core/error.hpp"
#include "device/kernel_cache.hpp"
#include "device/self_test.hpp"
#include "kernels/host.hpp"
#include "sim/metal/on_simulator.hpp"

namespace ab::device {
namespace {

using MetalDevices = test::OnSimulator;

Error error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  return Error(Status::Ok, "no error");
}

TEST_F(MetalDevices, AreDescribedInOrder) {
  setenv("AB_SIM_METAL_DEVICES", "3", 1);
  const std::vector<Traits> found = describe_metal();
  unsetenv("AB_SIM_METAL_DEVICES");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].id, "metal");
  EXPECT_EQ(found[2].id, "metal:2");
  EXPECT_EQ(error_of([] { open_metal(1); }).status(), Status::NoDevice);
}

TEST_F(MetalDevices, PassTheSelfTestWithNativeKernelsAndWithout) {
  for (const GpuKernels kernels : {GpuKernels::Best, GpuKernels::Common}) {
    const std::unique_ptr<Device> device = open_metal_with(0, kernels);
    EXPECT_EQ(self_test(*device), "");
    const bool native = device->traits().features.find("native kernels") != std::string::npos;
    EXPECT_EQ(native, kernels == GpuKernels::Best);
  }
}

TEST_F(MetalDevices, WithoutMatricesHaveNoNativeKernels) {
  test::metal::set_limits({.apple_family = 6});
  EXPECT_EQ(open_metal_with(0, GpuKernels::Best)->traits().features, "Apple GPU family 6");
}

TEST_F(MetalDevices, NameTheKernelThatIsNotThere) {
  const std::unique_ptr<Device> device = open_metal(0);
  const Error error = error_of([&] { device->load({"abacus"}); });
  EXPECT_EQ(error.status(), Status::ShaderCompile);
  EXPECT_STREQ(error.what(), "metal: no kernel named abacus");
}

TEST_F(MetalDevices, AdoptNothingWhereMemoryIsNotShared) {
  std::vector<double> host(100000);
  EXPECT_NE(open_metal(0)->adopt(std::as_writable_bytes(std::span(host))), nullptr);
  test::metal::set_limits({.unified = false});
  EXPECT_EQ(open_metal(0)->adopt(std::as_writable_bytes(std::span(host))), nullptr);
}

// Doubles a word `times` times on a queue of its own.
double doubled(Device& device, const Kernel& kernel, int times) {
  const std::unique_ptr<Queue> queue = device.open_queue();
  const std::unique_ptr<Memory> memory = device.allocate(8);
  double value = 1;
  queue->write(*memory, 0, std::as_bytes(std::span(&value, 1)));
  kernels::elementwise_params p{};
  p.count = 1, p.groups = 1;
  const Slice here{memory.get(), 0};
  const Argument arguments[] = {here, here, here, std::as_bytes(std::span<const kernels::elementwise_params>(&p, 1))};
  for (int i = 0; i < times; ++i) queue->launch(kernel, {1, 1, 1, 0}, arguments);
  queue->read(*memory, 0, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

TEST_F(MetalDevices, ThreadsShareOne) {
  const std::unique_ptr<Device> device = open_metal(0);
  const std::unique_ptr<Kernel> kernel = device->load({"elementwise"});
  std::vector<double> results(8);
  std::vector<std::thread> threads;
  for (double& result : results) threads.emplace_back([&] { result = doubled(*device, *kernel, 200); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results, std::vector<double>(8, 0x1p200));
}

TEST_F(MetalDevices, WaitForCommandsThatReadAdoptedMemory) {
  const std::unique_ptr<Device> device = open_metal(0);
  const std::unique_ptr<Queue> queue = device->open_queue();
  const std::unique_ptr<Memory> target = device->allocate(8000);
  std::vector<double> host(1000, 2.5);
  std::unique_ptr<Memory> adopted = device->adopt(std::as_writable_bytes(std::span(host)));
  ASSERT_NE(adopted, nullptr);
  queue->copy({adopted.get(), 0}, {target.get(), 0}, 8000);
  adopted.reset();
  std::fill(host.begin(), host.end(), -1);  // the program's again
  std::vector<double> got(1000);
  queue->read(*target, 0, std::as_writable_bytes(std::span(got)));
  EXPECT_EQ(got, std::vector<double>(1000, 2.5));
}

TEST_F(MetalDevices, MemoryThatOnlyCommandsKeepIsGivenBackBeforeThereIsNone) {
  test::metal::set_limits({.memory_bytes = 20000});
  const std::unique_ptr<Device> device = open_metal(0);
  const std::unique_ptr<Queue> queue = device->open_queue();
  std::unique_ptr<Memory> a = device->allocate(8000), b = device->allocate(8000);
  queue->copy({a.get(), 0}, {b.get(), 0}, 8000);
  a.reset();
  EXPECT_NO_THROW(device->allocate(8000));
  EXPECT_EQ(error_of([&] { device->allocate(16000); }).status(), Status::AllocFailed);
}

TEST_F(MetalDevices, EveryFailedCallOfOpeningIsAnErrorAndLosesNothing) {
  long n = 0, calls = 0, errors = 0;
  do {
    test::metal::fail_at(++n, test::metal::Internal);
    const Error error = error_of([] {
      const std::unique_ptr<Device> device = open_metal(0);
      if (!passes(*device, SelfTestStep::FusedMultiplyAdd)) throw Error(Status::Ok, "wrong, and no error");
    });
    calls = test::metal::calls();
    errors += error.status() == Status::Ok ? 0 : 1;
    EXPECT_STRNE(error.what(), "wrong, and no error") << n;
    test::metal::fail_at(0, test::metal::Internal);
    ASSERT_EQ(test::metal::alive(), alive_before_) << "call " << n;
  } while (calls >= n);
  EXPECT_GT(n, 8);
  EXPECT_GE(errors, n - 4);  // the last one had nothing to fail; allocations are tried again
}

}  // namespace
}  // namespace ab::device
