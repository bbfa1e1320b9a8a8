// SPDX-License-Identifier: MIT
// The fake driver runs a stream only when somebody waits for it: pinned memory that is used again too early gives wrong bytes here.
#include "device/cuda/staging_ring.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/cuda/fake.hpp"
#include "support/random.hpp"

namespace ab::device::cuda {
namespace {

constexpr std::size_t slot = StagingRing::slot_bytes, room = 12 * slot;

std::vector<std::byte> random_bytes(std::size_t count, std::uint64_t start) {
  test::Random random(start);
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; i += 8) {
    const std::uint64_t word = random.bits();
    std::memcpy(&bytes[i], &word, std::min<std::size_t>(8, count - i));
  }
  return bytes;
}

class CudaStagingRing : public test::OnFakeDriver {
 protected:
  void SetUp() override {
    const Current current(context_);
    ASSERT_EQ(driver_.stream_create(&stream_, stream_non_blocking), success);
    ASSERT_EQ(driver_.mem_alloc(&memory_, room), success);
  }
  void TearDown() override {
    test::fake().fail_at(0, 0, test::FakeFailures::One);
    test::fake().repair();
    const CurrentForRelease current(context_);
    driver_.stream_synchronize(stream_);
    ring().release();
    driver_.mem_free(memory_);
    driver_.stream_destroy(stream_);
    OnFakeDriver::TearDown();
    EXPECT_EQ(test::fake().alive().pinned_buffers, 0);
    EXPECT_EQ(test::fake().alive().events, 0);
  }
  StagingRing& ring() {
    if (!ring_) ring_ = std::make_unique<StagingRing>(context_, stream_, 2);
    return *ring_;
  }
  // `from` may change as soon as upload has returned.
  void upload(std::size_t offset, std::vector<std::byte> from) {
    ring().upload(memory_, offset, from);
    std::fill(from.begin(), from.end(), std::byte{0xEE});
  }
  std::vector<std::byte> download(std::size_t offset, std::size_t bytes) {
    std::vector<std::byte> to(bytes);
    ring().download(memory_ + offset, to);
    return to;
  }

  const Driver& driver_ = *driver();
  PrimaryContext context_{driver_, 0};
  StreamHandle stream_ = nullptr;
  Address memory_ = 0;
  std::unique_ptr<StagingRing> ring_;
};

TEST_F(CudaStagingRing, BytesComeBackWhateverTheirNumber) {
  const Current current(context_);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{63}, slot - 1, slot, slot + 1, 4 * slot, 4 * slot + 8, 11 * slot + 12345}) {
    const std::vector<std::byte> sent = random_bytes(bytes, bytes);
    upload(bytes % 64, sent);
    EXPECT_TRUE(download(bytes % 64, bytes) == sent) << bytes;
  }
}

// Forwards they follow one another in device memory, backwards they do not.
TEST_F(CudaStagingRing, ManySmallUploadsShareTheRing) {
  const Current current(context_);
  constexpr std::size_t bytes = 40000, count = 11 * slot / bytes;
  for (const bool backwards : {false, true}) {
    const std::vector<std::byte> sent = random_bytes(count * bytes, backwards ? 6 : 5);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = (backwards ? count - 1 - i : i) * bytes;
      upload(at, {sent.begin() + static_cast<long>(at), sent.begin() + static_cast<long>(at + bytes)});
    }
    EXPECT_TRUE(download(0, sent.size()) == sent) << backwards;
  }
}

TEST_F(CudaStagingRing, UploadsThatFollowOneAnotherAreOneCopy) {
  const Current current(context_);
  const std::vector<std::byte> sent = random_bytes(1000 * 24, 9);
  upload(0, sent);  // takes the pinned memory
  ring().flush();
  const long before = test::fake().calls();
  for (std::size_t at = 0; at < sent.size(); at += 24)
    upload(at, {sent.begin() + static_cast<long>(at), sent.begin() + static_cast<long>(at + 24)});
  ring().flush();
  ring().flush();
  EXPECT_EQ(test::fake().calls() - before, 1);
  EXPECT_TRUE(download(0, sent.size()) == sent);
  // Allocations may be neighbours, but no copy goes from one into the next.
  const long neighbours = test::fake().calls();
  ring().upload(memory_, 0, std::span(sent).first(512));
  ring().upload(memory_ + 512, 0, std::span(sent).first(512));
  ring().flush();
  EXPECT_EQ(test::fake().calls() - neighbours, 2);
}

TEST_F(CudaStagingRing, UploadsAndDownloadsTakeTurns) {
  const Current current(context_);
  test::Random random(7);
  std::vector<std::byte> expected = random_bytes(room, 8);
  upload(0, expected);
  for (int i = 0; i < 30; ++i) {
    const std::size_t bytes = random.below(i % 4 == 0 ? 5 * slot : slot / 3) + 1, at = random.below(room - bytes);
    const std::vector<std::byte> sent = random_bytes(bytes, random.bits());
    std::copy(sent.begin(), sent.end(), expected.begin() + static_cast<long>(at));
    upload(at, sent);
    if (i % 3 != 0) continue;
    const auto begin = expected.begin() + static_cast<long>(at / 2);
    ASSERT_TRUE(download(at / 2, bytes) == std::vector<std::byte>(begin, begin + static_cast<long>(bytes))) << i;
  }
  EXPECT_TRUE(download(0, room) == expected);
}

TEST_F(CudaStagingRing, AfterAnyFailedCallTheNextBytesAreRight) {
  const Current current(context_);
  const std::vector<std::byte> first = random_bytes(slot + 100, 1), second = random_bytes(4 * slot + 3, 2);
  for (const test::FakeFailures failures : {test::FakeFailures::One, test::FakeFailures::AllFromThere}) {
    long n = 0, calls = 0, failed = 0;
    do {
      test::fake().fail_at(++n, test::invalid_value, failures);
      try {
        upload(0, first);
        download(0, first.size());
        upload(3, first);
      } catch (const Error& error) {
        EXPECT_NE(error.status(), Status::Ok);
        ++failed;
      }
      calls = test::fake().calls();
      test::fake().fail_at(0, 0, test::FakeFailures::One);
      upload(64, second);
      ASSERT_TRUE(download(64, second.size()) == second) << n;
    } while (n <= calls);
    EXPECT_GT(failed, 10);
  }
}

}  // namespace
}  // namespace ab::device::cuda
