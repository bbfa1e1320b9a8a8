// SPDX-License-Identifier: MIT
#include "device/cuda/cuda_device.hpp"

#include <thread>

#include "core/error.hpp"
#include "device/kernel_cache.hpp"
#include "device/self_test.hpp"
#include "kernels/host.hpp"
#include "sim/cuda/fake.hpp"

namespace ab::device {
namespace {

class CudaDevices : public test::OnFakeDriver {
 protected:
  void SetUp() override { ASSERT_EQ(describe_cuda().size(), 2u); }  // a driver that is not initialised never comes back
  void TearDown() override {
    OnFakeDriver::TearDown();
    EXPECT_EQ(test::fake().alive().total(), 0);
  }
};

std::vector<std::uint64_t> counted_words(std::size_t count, std::uint64_t first) {
  std::vector<std::uint64_t> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = first + i;
  return words;
}

template <class Act>
Error error_of(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  return Error(Status::Ok, "no error");
}

TEST_F(CudaDevices, AreDescribedWithoutAContext) {
  const std::vector<Traits> found = describe_cuda();
  ASSERT_EQ(found.size(), 2u);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].id, "cuda:" + std::to_string(i));
    EXPECT_EQ(found[i].name, "Fake CUDA device");
    EXPECT_EQ(found[i].features, "sm_90, 4 multiprocessors, driver API 13.0");
    EXPECT_EQ(found[i].memory_bytes, std::uint64_t{1} << 30);
    EXPECT_TRUE(found[i].fp64);
    EXPECT_FALSE(found[i].unified_memory);
    EXPECT_FALSE(found[i].results_in_place);
  }
  EXPECT_EQ(test::fake().alive().total(), 0);
}

TEST_F(CudaDevices, PassTheSelfTest) {
  const std::unique_ptr<Device> device = open_cuda(1);
  EXPECT_EQ(device->traits().id, "cuda:1");
  EXPECT_EQ(self_test(*device), "");
}

TEST_F(CudaDevices, LoadTheImageOnce) {
  const std::unique_ptr<Device> device = open_cuda(0);
  { const KernelCache first(*device), second(*device); }
  EXPECT_EQ(test::fake().alive().modules, 2);  // common and native kernels
}

TEST_F(CudaDevices, NameTheKernelThatIsNotThere) {
  const std::unique_ptr<Device> device = open_cuda(0);
  const Error unknown = error_of([&] { device->load({"abacus"}); });
  EXPECT_EQ(unknown.status(), Status::ShaderCompile);
  EXPECT_NE(std::string(unknown.what()).find("abacus"), std::string::npos);
  for (long n = 1; n <= 3; ++n) {  // push, load the image, find the function
    test::fake().fail_at(n, test::not_found, test::FakeFailures::One);
    const Error error = error_of([&] { device->load({"scan"}); });
    EXPECT_EQ(error.status(), n == 1 ? Status::KernelFailed : Status::ShaderCompile) << error.what();
  }
  test::fake().fail_at(0, 0, test::FakeFailures::One);
  EXPECT_NE(device->load({"scan"}), nullptr);
}

TEST_F(CudaDevices, SayWhatMemoryThereIsWhenItDoesNotSuffice) {
  const std::unique_ptr<Device> device = open_cuda(0);
  test::fake().limit_memory(1000000);
  const std::unique_ptr<Memory> some = device->allocate(400000);
  EXPECT_EQ(some->bytes(), 400000u);
  const Error error = error_of([&] { device->allocate(700000); });
  EXPECT_EQ(error.status(), Status::AllocFailed);
  EXPECT_STREQ(error.what(), "cuda:0: cuMemAlloc: no memory for 700000 bytes (600000 of 1000000 are free)");
  EXPECT_EQ(device->allocate(0)->bytes(), 0u);
}

TEST_F(CudaDevices, ReadHostMemoryWhereItIs) {
  const std::unique_ptr<Device> device = open_cuda(0);
  const std::unique_ptr<Queue> queue = device->open_queue();
  const std::unique_ptr<Memory> out = device->allocate(64);
  const std::unique_ptr<Kernel> kernel = device->load({"elementwise"});
  std::vector<double> host(3000, 1.5);
  host[1001] = 4;
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(host)).subspan(8 * 1000, 8 * 8);
  {
    const std::unique_ptr<Memory> adopted = device->adopt(bytes);
    ASSERT_NE(adopted, nullptr);
    EXPECT_EQ(adopted->bytes(), 64u);
    EXPECT_EQ(device->adopt(bytes.subspan(32)), nullptr);  // of a page that is pinned already
    kernels::elementwise_params p{};
    p.offset_b = 1, p.count = 3, p.groups = 1;  // out = a + b
    const Argument arguments[] = {Slice{adopted.get(), 0}, Slice{adopted.get(), 0}, Slice{out.get(), 0},
                                  std::as_bytes(std::span<const kernels::elementwise_params>(&p, 1))};
    queue->launch(*kernel, {1, 1, 1, 0}, arguments);
    std::vector<double> sums(3);
    queue->read(*out, 0, std::as_writable_bytes(std::span(sums)));
    EXPECT_EQ(sums, (std::vector<double>{5.5, 5.5, 3}));
  }
  EXPECT_NE(device->adopt(bytes), nullptr);
  EXPECT_EQ(device->adopt({}), nullptr);
  for (long n = 1; n <= 3; ++n) {  // push, register, ask for the address
    test::fake().fail_at(n, test::invalid_value, test::FakeFailures::One);
    EXPECT_EQ(device->adopt(bytes), nullptr);
  }
}

TEST_F(CudaDevices, CopyAtOffsets) {
  const std::unique_ptr<Device> device = open_cuda(0);
  const std::unique_ptr<Queue> queue = device->open_queue();
  const std::unique_ptr<Memory> a = device->allocate(800), b = device->allocate(800);
  const std::vector<std::uint64_t> words = counted_words(100, 7);
  queue->write(*a, 0, std::as_bytes(std::span(words)));
  queue->copy({a.get(), 80}, {b.get(), 160}, 8 * 50);
  queue->copy({a.get(), 0}, {b.get(), 0}, 0);
  queue->write(*b, 0, {});
  std::vector<std::uint64_t> got(50);
  queue->read(*b, 160, std::as_writable_bytes(std::span(got)));
  queue->read(*b, 0, {});
  EXPECT_EQ(got, counted_words(50, 17));
}

// The fake driver runs nothing before somebody waits for it, so what stands after a mark has not happened yet.
TEST_F(CudaDevices, ReadWhatWasThereAtAMark) {
  const std::unique_ptr<Device> device = open_cuda(0);
  const std::unique_ptr<Queue> queue = device->open_queue();
  const std::unique_ptr<Memory> memory = device->allocate(8000), later = device->allocate(8000);
  const std::vector<std::uint64_t> first = counted_words(1000, 5), second = counted_words(1000, 70);
  std::vector<std::uint64_t> got(1000);
  queue->write(*memory, 0, std::as_bytes(std::span(first)));
  queue->write(*later, 0, std::as_bytes(std::span(second)));
  const std::unique_ptr<Queue::Mark> mark = queue->mark();
  queue->copy({later.get(), 0}, {memory.get(), 0}, 8000);
  queue->read_after(mark.get(), *memory, 0, std::as_writable_bytes(std::span(got)));
  EXPECT_EQ(got, first);
  queue->read_after(mark.get(), *memory, 800, std::as_writable_bytes(std::span(got).first(100)));
  EXPECT_EQ(got[0], first[100]);
  queue->read_after(nullptr, *memory, 0, std::as_writable_bytes(std::span(got)));
  EXPECT_EQ(got, second);
}

TEST_F(CudaDevices, KernelsSeeBuffersAtOffsetsAndParamsByValue) {
  const std::unique_ptr<Device> device = open_cuda(0);
  const std::unique_ptr<Queue> queue = device->open_queue();
  const std::unique_ptr<Memory> memory = device->allocate(8 * 64);
  const std::vector<double> values = {1, 2, 3, 4, 0.5, 0.25, 0.125, 8};
  queue->write(*memory, 0, std::as_bytes(std::span(values)));
  const std::unique_ptr<Kernel> kernel = device->load({"elementwise"});
  {
    kernels::elementwise_params p{};
    p.offset_b = 1, p.offset_out = 8, p.count = 3, p.groups = 1;  // out = a + b
    const Argument arguments[] = {Slice{memory.get(), 0}, Slice{memory.get(), 24}, Slice{memory.get(), 0},
                                  std::as_bytes(std::span<const kernels::elementwise_params>(&p, 1))};
    queue->launch(*kernel, {1, 1, 1, 0}, arguments);
    p = {};  // gone before the stream runs
  }
  std::vector<double> sums(3);
  queue->read(*memory, 64, std::as_writable_bytes(std::span(sums)));
  EXPECT_EQ(sums, (std::vector<double>{1.5, 2.25, 3.125}));
}

TEST_F(CudaDevices, AFaultingKernelLosesTheDevice) {
  const std::unique_ptr<Device> device = open_cuda(0), other = open_cuda(1);
  const std::unique_ptr<Queue> queue = device->open_queue();
  const std::unique_ptr<Memory> memory = device->allocate(64);
  const std::unique_ptr<Kernel> kernel = device->load({"elementwise"});
  kernels::elementwise_params p{};
  const Argument arguments[] = {Slice{memory.get(), 0}, Slice{memory.get(), 0}, Slice{memory.get(), 0},
                                std::as_bytes(std::span<const kernels::elementwise_params>(&p, 1))};
  test::fake().fault_at_launch(1);
  queue->launch(*kernel, {1, 1, 1, 0}, arguments);
  const Error first = error_of([&] { queue->finish(); });
  EXPECT_EQ(first.status(), Status::NoDevice);
  EXPECT_STREQ(first.what(), "cuda:0: cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)");
  test::fake().fault_at_launch(0);
  const Error second = error_of([&] { device->allocate(8); });
  EXPECT_EQ(second.status(), Status::NoDevice);
  EXPECT_EQ(std::string(second.what()), "cuda:0 was lost: " + std::string(first.what()));
  EXPECT_EQ(self_test(*other), "");
}

TEST_F(CudaDevices, TwoWorkAtOnce) {
  std::vector<std::string> reasons(4, "did not run");
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < reasons.size(); ++t) {
    threads.emplace_back([&, t] { reasons[t] = self_test(*open_cuda(static_cast<int>(t % 2))); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& reason : reasons) EXPECT_EQ(reason, "");
}

TEST_F(CudaDevices, EveryFailedCallOfTheSelfTestIsAnErrorAndLosesNoMemory) {
  for (const int result : {test::invalid_value, test::out_of_memory, test::illegal_address}) {
    const long step = result == test::invalid_value ? 1 : 9;
    long n = 1 - step, calls = 0, errors = 0;
    do {
      n += step;
      test::fake().fail_at(n, result, test::FakeFailures::One);
      const Error error = error_of([] { EXPECT_EQ(self_test(*open_cuda(0)), ""); });
      errors += error.status() == Status::Ok ? 0 : 1;
      calls = test::fake().calls();
      test::fake().fail_at(0, 0, test::FakeFailures::One);
      test::fake().repair();
      ASSERT_EQ(test::fake().alive().total(), 0) << "call " << n << ": " << error.what();
      ASSERT_EQ(test::fake().violations(), 0) << "call " << n << ": " << test::fake().first_violation();
    } while (calls >= n);
    EXPECT_GT(errors, n / step / 3) << result;  // the others describe the device, or give something back
  }
}

}  // namespace
}  // namespace ab::device
