// SPDX-License-Identifier: MIT
#include "device/vulkan/command_batch.hpp"

#include <cstring>

#include "sim/vulkan/failing.hpp"

namespace ab::device::vulkan {
namespace {

class VulkanBatches : public test::OnVulkan {
 protected:
  static std::shared_ptr<LogicalDevice> open() { return std::make_shared<LogicalDevice>(*instance(), 0); }
};

TEST_F(VulkanBatches, CopyWithinTheirArenaInOrder) {
  CommandBatch batch(open());
  EXPECT_TRUE(batch.is_idle());
  batch.wait();
  for (int round = 0; round < 3; ++round) {
    batch.begin();
    EXPECT_TRUE(batch.is_recording());
    const CommandBatch::Piece a = batch.take(100), b = batch.take(100), c = batch.take(100);
    std::memset(a.data, 40 + round, 100);
    std::memset(b.data, 0, 100);
    std::memset(c.data, 0, 100);
    const VkBuffer arena = batch.arena().handle();
    batch.copy({arena, a.offset, 100}, {arena, b.offset, 100});
    batch.copy({arena, b.offset, 100}, {arena, c.offset, 100});
    batch.submit();
    batch.wait();
    EXPECT_TRUE(batch.is_idle());
    EXPECT_EQ(std::memcmp(a.data, c.data, 100), 0) << round;
  }
}

TEST_F(VulkanBatches, GiveAlignedPiecesWhileThereIsRoom) {
  const auto device = open();
  CommandBatch batch(device);
  batch.begin();
  EXPECT_EQ(batch.arena_left(), CommandBatch::arena_bytes);
  batch.take(1);
  EXPECT_EQ(batch.take(8).offset % device->physical().limits.minStorageBufferOffsetAlignment, 0u);
  EXPECT_TRUE(batch.has_room_for_launch(256));
  batch.take(batch.arena_left());
  EXPECT_EQ(batch.arena_left(), 0u);
  EXPECT_FALSE(batch.has_room_for_launch(4));
}

TEST_F(VulkanBatches, KeepWhatTheyUseUntilItIsDone) {
  CommandBatch batch(open());
  auto used = std::make_shared<int>(1);
  const std::weak_ptr<int> alive = used;
  batch.begin();
  batch.keep(std::move(used));
  batch.submit();
  EXPECT_FALSE(alive.expired());
  batch.wait();
  EXPECT_TRUE(alive.expired());
}

TEST_F(VulkanBatches, ThatCannotBeSentAreForgotten) {
  CommandBatch batch(open());
  for (long n = 1; n <= 3; ++n) {  // end, fence, submission
    batch.begin();
    test::failing().fail_at(n, VK_ERROR_OUT_OF_HOST_MEMORY, test::VulkanFailures::One);
    EXPECT_THROW(batch.submit(), Error) << n;
    EXPECT_TRUE(batch.is_idle()) << n;
  }
}

TEST_F(VulkanBatches, ThatCannotBeMadeLoseNothing) {
  const auto device = open();
  const long before = test::failing().alive();
  for (long n = 1; n <= 8; ++n) {  // two pools, commands, fence, the arena's four
    test::failing().fail_at(n, VK_ERROR_OUT_OF_DEVICE_MEMORY, test::VulkanFailures::One);
    EXPECT_THROW(CommandBatch batch(device), Error) << n;
    EXPECT_EQ(test::failing().alive(), before) << n;
  }
}

}  // namespace
}  // namespace ab::device::vulkan
