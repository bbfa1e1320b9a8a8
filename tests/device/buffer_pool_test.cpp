// SPDX-License-Identifier: MIT
#include "device/buffer_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "device/cpu/cpu_device.hpp"
#include "support/faulty_device.hpp"
#include "support/random.hpp"

namespace ab::device {
namespace {

constexpr std::uint64_t kib = 1024;

class BufferPoolTest : public testing::Test {
 protected:
  std::unique_ptr<Device> cpu_ = open_cpu();
  test::FaultyDevice device_{*cpu_};
  std::shared_ptr<BufferPool> pool_ = std::make_shared<BufferPool>(device_, 64 * kib);
};

TEST_F(BufferPoolTest, ALeaseHasWhatWasAskedFor) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4097}, std::size_t{100000}}) {
    const Lease lease = pool_->lease(bytes);
    ASSERT_TRUE(lease);
    EXPECT_GE(lease.memory().bytes(), bytes);
    EXPECT_LE(lease.memory().bytes(), std::max<std::size_t>(4096, bytes + bytes / 8 + 256));
    EXPECT_EQ(lease.slice(8).memory, &lease.memory());
    EXPECT_EQ(lease.slice(8).offset, 8u);
  }
  EXPECT_FALSE(Lease());
}

TEST_F(BufferPoolTest, WhatWasGivenBackIsTakenAgain) {
  const Memory* first = nullptr;
  {
    const Lease lease = pool_->lease(9 * kib);
    first = &lease.memory();
  }
  device_.fail_at(0);
  const Lease again = pool_->lease(9 * kib - 100);
  EXPECT_EQ(&again.memory(), first);
  EXPECT_EQ(device_.calls(), 0);
  const Lease other = pool_->lease(9 * kib);
  EXPECT_NE(&other.memory(), first);
}

TEST_F(BufferPoolTest, ABufferThatIsTooSmallOrFarTooLargeIsNotTaken) {
  { const Lease lease = pool_->lease(32 * kib); }
  device_.fail_at(0);
  const Lease larger = pool_->lease(33 * kib);
  const Lease smaller = pool_->lease(4 * kib);
  EXPECT_EQ(device_.calls(), 2);
}

TEST_F(BufferPoolTest, KeepsNoMoreThanTheCapAndGivesUpTheOldestFirst) {
  std::vector<Lease> leases;
  std::vector<const Memory*> memories;
  for (int i = 0; i < 5; ++i) {
    leases.push_back(pool_->lease(20 * kib));
    memories.push_back(&leases.back().memory());
  }
  EXPECT_EQ(pool_->held_bytes(), 100 * kib);  // the cap is for what is kept, not for what is in use
  for (Lease& lease : leases) lease = Lease();
  EXPECT_EQ(pool_->held_bytes(), 60 * kib);
  EXPECT_EQ(device_.bytes_alive(), 60 * kib);
  EXPECT_EQ(pool_->peak_bytes(), 100 * kib);
  std::vector<Lease> again;
  for (int i = 0; i < 3; ++i) again.push_back(pool_->lease(20 * kib));  // the last given back, first
  EXPECT_EQ(&again[0].memory(), memories[4]);
  EXPECT_EQ(&again[1].memory(), memories[3]);
  EXPECT_EQ(&again[2].memory(), memories[2]);
}

TEST_F(BufferPoolTest, KeepsFewBuffersEvenWhenTheyAreSmall) {
  const auto pool = std::make_shared<BufferPool>(device_, std::uint64_t{1} << 40);
  std::vector<Lease> leases;
  for (int i = 0; i < 100; ++i) leases.push_back(pool->lease(100));
  leases.clear();
  EXPECT_LE(pool->held_bytes(), 64 * 4 * kib);
}

TEST_F(BufferPoolTest, TrimGivesEverythingBackThatIsNotInUse) {
  const Lease used = pool_->lease(8 * kib);
  { const Lease lease = pool_->lease(16 * kib); }
  pool_->trim();
  EXPECT_EQ(pool_->held_bytes(), 8 * kib);
  EXPECT_EQ(device_.bytes_alive(), 8 * kib);
}

TEST_F(BufferPoolTest, GivesUpKeptBuffersBeforeItSaysThatThereIsNoMemory) {
  { const Lease lease = pool_->lease(16 * kib); }
  device_.fail_at(1);
  const Lease lease = pool_->lease(40 * kib);
  EXPECT_EQ(device_.calls(), 2);
  EXPECT_EQ(pool_->held_bytes(), 40 * kib);
}

TEST_F(BufferPoolTest, GivesUpKeptBuffersBeforeItGoesBeyondTheCap) {
  const Lease used = pool_->lease(16 * kib);
  { const Lease a = pool_->lease(16 * kib), b = pool_->lease(32 * kib); }
  EXPECT_EQ(pool_->used_bytes(), 16 * kib);
  EXPECT_EQ(pool_->held_bytes(), 64 * kib);
  const Lease large = pool_->lease(40 * kib);
  EXPECT_EQ(pool_->held_bytes(), 56 * kib);
  EXPECT_EQ(pool_->peak_bytes(), 64 * kib);
  EXPECT_EQ(device_.bytes_alive(), 56 * kib);
}

TEST_F(BufferPoolTest, NoMemoryIsAnErrorAndChangesNothing) {
  const Lease used = pool_->lease(8 * kib);
  device_.fail_at(1, test::Failures::AllFromThere);
  try {
    pool_->lease(16 * kib);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::AllocFailed);
  }
  EXPECT_EQ(pool_->held_bytes(), 8 * kib);
  device_.fail_at(0);
  EXPECT_TRUE(pool_->lease(16 * kib));
}

TEST_F(BufferPoolTest, ALeaseOutlivesThePoolsOwner) {
  Lease lease = pool_->lease(8 * kib);
  pool_.reset();
  EXPECT_EQ(lease.memory().bytes(), 8 * kib);
  lease = Lease();
  EXPECT_EQ(device_.bytes_alive(), 0u);
}

TEST_F(BufferPoolTest, MovingALeaseMovesItsBuffer) {
  Lease a = pool_->lease(8 * kib), b = pool_->lease(12 * kib);
  const Memory* memory = &b.memory();
  a = std::move(b);
  EXPECT_EQ(&a.memory(), memory);
  EXPECT_FALSE(b);
  const Lease c(std::move(a));
  EXPECT_FALSE(a);
  EXPECT_EQ(&c.memory(), memory);
}

TEST_F(BufferPoolTest, RoomIsMadeByOthersBeforeTheCapIsExceeded) {
  std::vector<Lease> idle;
  for (int i = 0; i < 3; ++i) idle.push_back(pool_->lease(16 * kib));
  std::uint64_t excess = 0;
  const Lease large = pool_->lease(32 * kib, [&](std::uint64_t bytes) {
    excess = bytes;
    idle.pop_back();
  });
  EXPECT_EQ(excess, 16 * kib);
  EXPECT_EQ(pool_->held_bytes(), 64 * kib);
  EXPECT_EQ(pool_->peak_bytes(), 64 * kib);
}

TEST_F(BufferPoolTest, WhatIsReservedFitsUnderTheCapTogether) {
  const std::uint64_t first = pool_->reserve(40 * kib), second = pool_->reserve(24 * kib);
  std::atomic<int> served{0};
  std::thread large([&] {
    const std::uint64_t mine = pool_->reserve(50 * kib);
    EXPECT_EQ(served.exchange(1), 0);
    pool_->give_back(mine);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::thread small([&] {  // waits behind the large one, though there is room for it
    const std::uint64_t mine = pool_->reserve(4 * kib);
    EXPECT_EQ(served.exchange(2), 1);
    pool_->give_back(mine);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  pool_->give_back(second);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(served, 0);
  pool_->give_back(first);
  large.join();
  small.join();
  EXPECT_EQ(served, 2);
}

TEST_F(BufferPoolTest, WhoIsAloneMayReserveAnything) {
  const std::uint64_t all = pool_->reserve(1000 * kib);
  EXPECT_EQ(all, 1000 * kib);
  pool_->give_back(all);
  pool_->give_back(pool_->reserve(0));
}

TEST_F(BufferPoolTest, ALargerBufferIsTakenOnlyWhereWhatIsReservedStillFits) {
  { const Lease lease = pool_->lease(32 * kib); }
  const std::uint64_t mine = pool_->reserve(60 * kib);
  device_.fail_at(0);
  { const Lease fresh = pool_->lease(20 * kib); }
  EXPECT_EQ(device_.calls(), 1);
  pool_->give_back(mine);
  const Lease kept = pool_->lease(18 * kib);
  EXPECT_EQ(device_.calls(), 1);
  EXPECT_GT(kept.memory().bytes(), 18 * kib);
}

TEST(BufferPool, ManyThreadsNeverShareABuffer) {
  const std::unique_ptr<Device> cpu = open_cpu();
  const auto pool = std::make_shared<BufferPool>(*cpu, 256 * kib);
  const std::unique_ptr<Queue> queue = cpu->open_queue();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      test::Random random(static_cast<std::uint64_t>(t));
      for (int i = 0; i < 500; ++i) {
        const Lease lease = pool->lease(random.below(40 * kib));
        const std::uint64_t mine = random.bits();
        queue->write(lease.memory(), 64, std::as_bytes(std::span(&mine, 1)));
        std::uint64_t found = 0;
        queue->read(lease.memory(), 64, std::as_writable_bytes(std::span(&found, 1)));
        if (found != mine) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(pool->held_bytes(), 256 * kib);
  EXPECT_LE(pool->peak_bytes(), (256 + 8 * 48) * kib);
}

}  // namespace
}  // namespace ab::device
