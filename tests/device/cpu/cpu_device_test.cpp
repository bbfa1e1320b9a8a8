// SPDX-License-Identifier: MIT
#include "device/cpu/cpu_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <thread>

#include "core/error.hpp"
#include "kernels/host.hpp"

namespace ab::device {
namespace {

using Words = std::vector<std::uint64_t>;

template <class Params>
Argument argument(const Params& value) {
  return std::as_bytes(std::span<const Params>(&value, 1));
}

std::span<std::byte> bytes_of(Words& words) {
  return std::as_writable_bytes(std::span(words));
}

TEST(CpuDevice, SaysWhatItIs) {
  const std::unique_ptr<Device> cpu = open_cpu();
  EXPECT_EQ(cpu->traits().id, "cpu");
  EXPECT_EQ(cpu->traits().features, describe_cpu().features);
  EXPECT_NE(cpu->traits().features.find("thread"), std::string::npos);
  EXPECT_EQ(cpu->traits().family, ModuliFamily::Int8);
  EXPECT_EQ(cpu->traits().table_kind.empty(), cpu->traits().features.find("amx") == std::string::npos);
  EXPECT_EQ(open_cpu_with(CpuKernels::Common)->traits().table_kind, "");
}

TEST(CpuDevice, MemoryHoldsWhatIsWritten) {
  const std::unique_ptr<Device> cpu = open_cpu();
  const std::unique_ptr<Queue> queue = cpu->open_queue();
  const std::unique_ptr<Memory> memory = cpu->allocate(80);
  EXPECT_EQ(memory->bytes(), 80u);
  Words in(10), out(10);
  std::iota(in.begin(), in.end(), 7u);
  queue->write(*memory, 0, bytes_of(in));
  queue->copy({memory.get(), 0}, {memory.get(), 16}, 64);  // the ranges overlap
  queue->read(*memory, 0, bytes_of(out));
  EXPECT_EQ(out, (Words{7, 8, 7, 8, 9, 10, 11, 12, 13, 14}));
  queue->write(*memory, 80, {});
  queue->read(*memory, 80, {});
  queue->finish();
}

TEST(CpuDevice, EmptyMemoryIsMemory) {
  const std::unique_ptr<Device> cpu = open_cpu();
  EXPECT_EQ(cpu->allocate(0)->bytes(), 0u);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they end a program that asks for too much
TEST(CpuDevice, TooMuchMemoryIsAnError) {
  try {
    open_cpu()->allocate(std::size_t{1} << 60);
    FAIL() << "allocated an exbibyte";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::AllocFailed);
  }
}
#endif

TEST(CpuDevice, AdoptsAlignedMemoryInPlace) {
  const std::unique_ptr<Device> cpu = open_cpu();
  const std::unique_ptr<Queue> queue = cpu->open_queue();
  Words words = {1, 2, 3};
  const std::unique_ptr<Memory> adopted = cpu->adopt(bytes_of(words));
  ASSERT_NE(adopted, nullptr);
  EXPECT_EQ(adopted->bytes(), 24u);
  Words found(2);
  queue->read(*adopted, 8, bytes_of(found));
  EXPECT_EQ(found, (Words{2, 3}));
  EXPECT_EQ(cpu->adopt(bytes_of(words).subspan(4)), nullptr);
}

TEST(CpuDevice, UnknownKernelsAreErrors) {
  try {
    open_cpu()->load({"no_such_kernel"});
    FAIL() << "loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::ShaderCompile);
    EXPECT_NE(std::string(error.what()).find("no_such_kernel"), std::string::npos);
  }
}

// target = a + a for `count` entries, 1024 a group.
void double_all(Device& cpu, Queue& queue, Words& words, Index work) {
  const std::unique_ptr<Kernel> kernel = cpu.load({"elementwise"});
  const std::unique_ptr<Memory> memory = cpu.adopt(bytes_of(words));
  kernels::elementwise_params p{};
  p.count = words.size();
  p.groups = static_cast<kernels::uint>((words.size() + 1023) / 1024);
  const Argument arguments[] = {Slice{memory.get(), 0}, Slice{memory.get(), 0}, Slice{memory.get(), 0}, argument(p)};
  queue.launch(*kernel, {p.groups, 1, 1, work}, arguments);
}

TEST(CpuDevice, EveryGroupOfALaunchRunsOnce) {
  const std::unique_ptr<Device> cpu = open_cpu();
  const std::unique_ptr<Queue> queue = cpu->open_queue();
  for (const std::size_t count : {std::size_t{1}, std::size_t{1024}, std::size_t{300001}}) {
    for (const Index work : {Index{0}, Index{1} << 40}) {
      Words words(count);
      for (std::size_t i = 0; i < count; ++i) words[i] = std::bit_cast<std::uint64_t>(static_cast<double>(i));
      double_all(*cpu, *queue, words, work);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(std::bit_cast<double>(words[i]), 2.0 * static_cast<double>(i));
    }
  }
}

TEST(CpuDevice, GroupsAreNumberedInThreeDirections) {  // folded launches: group id = y * 32768 + x
  const std::unique_ptr<Device> cpu = open_cpu();
  const std::unique_ptr<Queue> queue = cpu->open_queue();
  const std::unique_ptr<Kernel> kernel = cpu->load({"elementwise"});
  constexpr kernels::uint groups = 32768 + 5;
  Words words(groups * std::size_t{1024}, std::bit_cast<std::uint64_t>(1.5));
  const std::unique_ptr<Memory> memory = cpu->adopt(bytes_of(words));
  kernels::elementwise_params p{};
  p.count = words.size();
  p.groups = groups;
  p.operation = 3;
  const Argument arguments[] = {Slice{memory.get(), 0}, Slice{memory.get(), 0}, Slice{memory.get(), 0}, argument(p)};
  queue->launch(*kernel, {32768, 2, 1, Index{1} << 40}, arguments);
  EXPECT_EQ(std::count(words.begin(), words.end(), 0u), static_cast<std::ptrdiff_t>(words.size()));
}

TEST(CpuDevice, OneQueueServesManyThreads) {
  const std::unique_ptr<Device> cpu = open_cpu();
  const std::unique_ptr<Queue> queue = cpu->open_queue();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 50; ++t) {
    threads.emplace_back([&, t] {
      Words words(5000, std::bit_cast<std::uint64_t>(static_cast<double>(t)));
      for (int i = 0; i < 4; ++i) double_all(*cpu, *queue, words, i % 2 == 0 ? 0 : Index{1} << 40);
      for (const std::uint64_t word : words) wrong += std::bit_cast<double>(word) == 16.0 * t ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace ab::device
