// SPDX-License-Identifier: MIT
// Commands that go to the device together, with what they need until they are done: descriptor sets, host memory that they read or
// write, and the buffers and pipelines they use.
#pragma once
#include <span>
#include <vector>

#include "device/vulkan/buffer.hpp"
#include "device/vulkan/pipeline.hpp"

namespace ab::device::vulkan {

/// Belongs to one stream; one thread at a time.
class CommandBatch {
 public:
  // Chosen: a chunk takes the bus some 80 us at 25 GB/s, ten times what submitting it costs.
  static constexpr std::size_t arena_bytes = std::size_t{2} << 20;
  static constexpr std::uint32_t most_launches = 64;  // so the device begins while a long product is still being recorded

  explicit CommandBatch(std::shared_ptr<LogicalDevice> device);
  CommandBatch(const CommandBatch&) = delete;
  CommandBatch& operator=(const CommandBatch&) = delete;
  ~CommandBatch();

  bool is_idle() const { return state_ == State::Idle; }
  bool is_recording() const { return state_ == State::Recording; }
  /// Begins to record; the batch must be idle.
  void begin();
  /// Sends what was recorded; when that fails, it is forgotten.
  void submit();
  /// Returns when what was submitted is done and the host may read what it wrote; nothing when the batch is not in flight.
  void wait();

  bool has_room_for_launch(std::size_t params_bytes) const;
  /// Bytes of the arena left for one piece that begins at a multiple of the device's alignment.
  std::size_t arena_left() const;
  /// The next piece of the arena.
  struct Piece {
    std::byte* data;
    std::size_t offset;
  };
  Piece take(std::size_t bytes);
  const Buffer& arena() const { return *arena_; }

  struct Range {
    VkBuffer buffer;
    std::size_t offset, bytes;
  };
  /// As if each command began when all before it, of this batch and of earlier ones, are done.
  void copy(const Range& from, const Range& to);
  void launch(const Pipeline& pipeline, std::span<const Range> bindings, const std::uint32_t (&groups)[3]);
  /// What must outlive the batch's commands.
  void keep(std::shared_ptr<const void> used) { kept_.push_back(std::move(used)); }

 private:
  enum class State { Idle, Recording, InFlight };
  void create();
  void release() noexcept;
  void send();
  void forget();
  void record_barrier();
  void wait_for_earlier_users(std::span<const Range> ranges);
  VkDescriptorSet bind(const Pipeline& pipeline, std::span<const Range> bindings);

  const std::shared_ptr<LogicalDevice> device_;
  State state_ = State::Idle;
  VkCommandPool command_pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = nullptr;
  VkDescriptorPool set_pool_ = VK_NULL_HANDLE;
  VkFence done_ = VK_NULL_HANDLE;
  std::unique_ptr<Buffer> arena_;
  std::size_t arena_used_ = 0;
  std::uint32_t launches_ = 0;
  bool has_new_pipeline_ = false;
  std::vector<Range> touched_;  // by commands that no barrier follows yet
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace ab::device::vulkan
