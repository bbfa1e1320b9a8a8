// SPDX-License-Identifier: MIT
// Registered ranges: what may be registered, who may use it, and how long.
#include "ops/host_memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "device/registry.hpp"
#include "ops/open_device.hpp"

namespace ab::ops {
namespace {

class HostMemoryTest : public testing::Test {
 protected:
  std::span<const std::byte> bytes(std::size_t from, std::size_t count) { return std::as_bytes(std::span(words_)).subspan(from, count); }
  std::byte* at(std::size_t byte) { return reinterpret_cast<std::byte*>(words_.data()) + byte; }
  std::vector<double> words_ = std::vector<double>(1024);
};

template <class Act>
std::string error_of(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::InvalidArgument);
    return error.what();
  }
  return "";
}

TEST_F(HostMemoryTest, WhatIsRefused) {
  EXPECT_NE(error_of([&] { register_host_memory(nullptr, 8); }).find("base is NULL"), std::string::npos);
  EXPECT_NE(error_of([&] { register_host_memory(at(0), 0); }).find("nbytes is 0"), std::string::npos);
  EXPECT_NE(error_of([&] { register_host_memory(at(0), SIZE_MAX); }).find("no address"), std::string::npos);
  EXPECT_NE(error_of([&] { unregister_host_memory(at(0)); }), "");
  EXPECT_NE(error_of([&] { unregister_host_memory(nullptr); }), "");
  EXPECT_FALSE(any_registered());
}

TEST_F(HostMemoryTest, OverlapsAreRefusedAndSharedPagesAreNot) {
  register_host_memory(at(1000), 1000);
  for (const auto& [from, count] : {std::pair<std::size_t, std::size_t>{1000, 1000}, {999, 2}, {1999, 1}, {0, 8000}, {1500, 1}}) {
    EXPECT_NE(error_of([&] { register_host_memory(at(from), count); }).find("overlaps"), std::string::npos) << from;
  }
  register_host_memory(at(0), 1000);  // the same page, byte to byte
  register_host_memory(at(2000), 1);
  unregister_host_memory(at(1000));
  EXPECT_NE(error_of([&] { unregister_host_memory(at(1000)); }), "");
  register_host_memory(at(1000), 1000);
  for (const std::size_t base : {0, 1000, 2000}) unregister_host_memory(at(base));
  EXPECT_FALSE(any_registered());
}

TEST_F(HostMemoryTest, ASpanMustLieInOneRange) {
  register_host_memory(at(800), 800);
  register_host_memory(at(1600), 800);
  EXPECT_TRUE(any_registered());
  EXPECT_TRUE(find_registered(bytes(800, 800)).has_value());
  EXPECT_TRUE(find_registered(bytes(1592, 8)).has_value());
  for (const auto& [from, count] : {std::pair<std::size_t, std::size_t>{792, 16}, {1592, 16}, {2392, 16}, {0, 8}, {2400, 8}}) {
    EXPECT_FALSE(find_registered(bytes(from, count)).has_value()) << from;
  }
  unregister_host_memory(at(800));
  EXPECT_FALSE(find_registered(bytes(800, 8)).has_value());
  unregister_host_memory(at(1600));
}

TEST_F(HostMemoryTest, ARangeIsTakenByADeviceOnceAndReadFromItsFirstWholeWord) {
  Context context(0, device::open(0), std::uint64_t{1} << 24);
  words_[101] = 7.5;
  register_host_memory(at(803), 1000);
  {
    const auto span = find_registered(bytes(808, 80)), other = find_registered(bytes(816, 8));
    const Slice first = span->place(context), second = other->place(context);
    ASSERT_NE(first.memory, nullptr);
    EXPECT_EQ(first.memory, second.memory);
    EXPECT_EQ(first.offset, 0u);
    EXPECT_EQ(second.offset, 8u);
    double value = 0;
    context.queue().read(*first.memory, first.offset, std::as_writable_bytes(std::span(&value, 1)));
    EXPECT_EQ(value, 7.5);
  }
  unregister_host_memory(at(803));
}

TEST_F(HostMemoryTest, UnregisteringWaitsForWhoUsesTheRange) {
  register_host_memory(at(0), 800);
  auto used = std::make_optional(find_registered(bytes(0, 8)));
  std::atomic<bool> left{false};
  std::thread leaver([&] {
    unregister_host_memory(at(0));
    left = true;
  });
  while (find_registered(bytes(0, 8)).has_value()) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // nobody new
  EXPECT_NE(error_of([&] { register_host_memory(at(0), 8); }), "");                                            // it is still there
  EXPECT_NE(error_of([&] { unregister_host_memory(at(0)); }), "");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(left);
  used.reset();
  leaver.join();
  EXPECT_TRUE(left);
  EXPECT_FALSE(any_registered());
}

TEST_F(HostMemoryTest, AClosedContextLeavesTheRangeRegistered) {
  register_host_memory(at(0), 800);
  { find_registered(bytes(0, 8))->place(*std::make_unique<Context>(0, device::open(0), std::uint64_t{1} << 24)); }
  EXPECT_TRUE(find_registered(bytes(0, 8)).has_value());
  unregister_host_memory(at(0));
}

TEST_F(HostMemoryTest, AChildInheritsNoneAndMayHaveItsOwn) {
  register_host_memory(at(0), 800);
  const auto used = find_registered(bytes(0, 8));
  const pid_t child = fork();
  if (child == 0) {
    int wrong = find_registered(bytes(0, 8)).has_value() ? 1 : 0;
    try {
      register_host_memory(at(0), 1600);
      wrong += find_registered(bytes(800, 8)).has_value() ? 0 : 2;
      const pid_t grandchild = fork();
      if (grandchild == 0) _exit(find_registered(bytes(800, 8)).has_value() ? 1 : 0);
      int status = -1;
      waitpid(grandchild, &status, 0);
      wrong += status == 0 ? 0 : 4;
      unregister_host_memory(at(0));
    } catch (const Error&) {
      wrong += 8;
    }
    _exit(wrong);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(find_registered(bytes(0, 8)).has_value());
}

}  // namespace
}  // namespace ab::ops
