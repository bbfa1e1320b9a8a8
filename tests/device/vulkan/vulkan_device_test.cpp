// SPDX-License-Identifier: MIT
#include "device/vulkan/vulkan_device.hpp"

#include <cstdlib>
#include <functional>
#include <thread>

#include "core/error.hpp"
#include "device/kernel_cache.hpp"
#include "device/self_test.hpp"
#include "kernels/host.hpp"
#include "sim/vulkan/failing.hpp"

namespace ab::device {
namespace {

using VulkanDevices = test::OnVulkan;

Error error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  return Error(Status::Ok, "no error");
}

TEST_F(VulkanDevices, AreDescribedInOrder) {
  const std::vector<Traits> found = describe_vulkan();
  ASSERT_FALSE(found.empty());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].id, "vulkan:" + std::to_string(i));
  EXPECT_EQ(error_of([&] { open_vulkan(static_cast<int>(found.size())); }).status(), Status::NoDevice);
}

TEST_F(VulkanDevices, PassTheSelfTestInTheSpellingTheyNeed) {
  const std::unique_ptr<Device> device = open_vulkan(0);
  EXPECT_EQ(self_test(*device), "");
  const Traits& traits = device->traits();
  EXPECT_EQ(traits.features.find("fma in integers") != std::string::npos, !traits.fused_fma) << traits.features;
  const bool is_lavapipe = traits.name.find("llvmpipe") != std::string::npos;
  EXPECT_FALSE(is_lavapipe && traits.fused_fma);  // seen with Mesa 22.3
}

TEST_F(VulkanDevices, TakeByteProductsInHardwareWhereTheyAreRight) {
  setenv("AB_FAKE_VULKAN", "fast_dot", 1);
  const std::unique_ptr<Device> device = open_vulkan(0);
  unsetenv("AB_FAKE_VULKAN");
  if (device->traits().features.find("packed byte products") == std::string::npos) GTEST_SKIP() << "not exposed: " << device->traits().name;
  EXPECT_EQ(self_test(*device), "");
}

TEST_F(VulkanDevices, NameTheKernelThatIsNotThere) {
  const std::unique_ptr<Device> device = open_vulkan(0);
  const Error error = error_of([&] { device->load({"abacus"}); });
  EXPECT_EQ(error.status(), Status::ShaderCompile);
  EXPECT_STREQ(error.what(), "vulkan:0: no kernel named abacus");
}

TEST_F(VulkanDevices, SayWhenALaunchIsTooLarge) {
  const std::unique_ptr<Device> device = open_vulkan(0);
  const std::unique_ptr<Queue> queue = device->open_queue();
  const std::unique_ptr<Memory> memory = device->allocate(64);
  const std::unique_ptr<Kernel> kernel = device->load({"elementwise"});
  kernels::elementwise_params p{};
  const Argument arguments[] = {Slice{memory.get(), 0}, Slice{memory.get(), 0}, Slice{},
                                std::as_bytes(std::span<const kernels::elementwise_params>(&p, 1))};
  const Error error = error_of([&] { queue->launch(*kernel, {1, 0xFFFFFFFF, 1, 0}, arguments); });
  EXPECT_EQ(error.status(), Status::KernelFailed);
  EXPECT_NE(std::string(error.what()).find("elementwise with 4294967295 groups"), std::string::npos) << error.what();
  queue->launch(*kernel, {1, 1, 1, 0}, arguments);  // a buffer that the kernel does not touch may be none
  queue->finish();
}

TEST_F(VulkanDevices, MemoryMayGoBeforeItsWorkIsDone) {
  const std::unique_ptr<Device> device = open_vulkan(0);
  const std::unique_ptr<Queue> queue = device->open_queue();
  const std::unique_ptr<Memory> last = device->allocate(8000);
  const std::vector<double> sent(1000, 2.5);
  for (int round = 0; round < 20; ++round) {
    const std::unique_ptr<Memory> brief = device->allocate(8000);
    queue->write(*brief, 0, std::as_bytes(std::span(sent)));
    queue->copy({brief.get(), 0}, {last.get(), 0}, 8000);
  }
  std::vector<double> got(1000);
  queue->read(*last, 0, std::as_writable_bytes(std::span(got)));
  EXPECT_EQ(got, sent);
}

TEST_F(VulkanDevices, MemoryThatWaitsForItsWorkIsGivenBackBeforeThereIsNone) {
  const std::unique_ptr<Device> device = open_vulkan(0);
  const std::unique_ptr<Queue> queue = device->open_queue();
  std::unique_ptr<Memory> a = device->allocate(800), b = device->allocate(800);
  queue->copy({a.get(), 0}, {b.get(), 0}, 800);
  a.reset();
  const long before = test::failing().alive();
  test::failing().fail_at(2, VK_ERROR_OUT_OF_DEVICE_MEMORY, test::VulkanFailures::One);  // the memory of the next buffer
  const std::unique_ptr<Memory> c = device->allocate(800);
  EXPECT_EQ(test::failing().alive(), before);  // a's place
}

// Doubles the words of `memory` `times` times on a queue of its own.
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

TEST_F(VulkanDevices, ThreadsShareOne) {
  const std::unique_ptr<Device> device = open_vulkan(0);
  const std::unique_ptr<Kernel> kernel = device->load({"elementwise"});
  std::vector<double> results(8);
  std::vector<std::thread> threads;
  for (double& result : results) threads.emplace_back([&] { result = doubled(*device, *kernel, 200); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results, std::vector<double>(8, 0x1p200));
}

TEST_F(VulkanDevices, EveryFailedCallOfOpeningIsAnErrorAndLosesNothing) {
  for (const int result : {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST}) {
    long n = 0, calls = 0;
    do {
      test::failing().fail_at(++n, result, test::VulkanFailures::One);
      const Error error = error_of([] { open_vulkan(0); });
      calls = test::failing().calls();
      EXPECT_TRUE(error.status() != Status::Ok || calls < n || result != VK_ERROR_DEVICE_LOST) << n;
      test::failing().fail_at(0, 0, test::VulkanFailures::One);
      ASSERT_EQ(test::failing().alive(), alive_before_) << "call " << n << ": " << error.what();
    } while (calls >= n);
    EXPECT_GT(n, 20);
  }
}

}  // namespace
}  // namespace ab::device
