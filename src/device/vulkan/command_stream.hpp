// SPDX-License-Identifier: MIT
// An in-order stream of commands: recorded in batches that go to the device when they are full or somebody waits. Host data goes through
// the batches' own host memory, so that the host copies one chunk while the device moves another.
#pragma once
#include <array>
#include <memory>

#include "device/device.hpp"
#include "device/vulkan/command_batch.hpp"

namespace ab::device::vulkan {

/// One thread at a time. After an Error the stream can be used again, unless the device is lost.
class CommandStream {
 public:
  static constexpr std::size_t batch_count = 4;

  using SharedBuffer = std::shared_ptr<const Buffer>;
  struct Place {
    SharedBuffer buffer;
    std::size_t offset;
  };
  struct Launch {
    std::shared_ptr<const Pipeline> pipeline;
    std::span<const Place> buffers;  // without a buffer: the kernel does not touch it
    std::span<const std::byte> params;
    std::array<std::uint32_t, 3> groups;
  };

  explicit CommandStream(std::shared_ptr<LogicalDevice> device) : device_(std::move(device)) {}

  /// Returns when `from` may change; the device may still be receiving.
  void upload(const Place& to, std::span<const std::byte> from);
  /// Returns when `to` is complete.
  void download(const Place& from, std::span<std::byte> to);
  void copy(const Place& from, const Place& to, std::size_t bytes);
  void launch(const Launch& launch);
  /// Returns when everything is done; buffers that lived on only for it are then given back.
  void finish();

 private:
  bool is_quiet() const;
  CommandBatch& recording();
  void submit();
  void download_in_chunks(const Place& from, std::span<std::byte> to);

  const std::shared_ptr<LogicalDevice> device_;
  std::array<std::unique_ptr<CommandBatch>, batch_count> batches_;  // made at the first use
  std::size_t current_ = 0;
};

}  // namespace ab::device::vulkan
