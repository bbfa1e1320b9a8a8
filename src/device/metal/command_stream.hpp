// SPDX-License-Identifier: MIT
// An in-order stream of commands on a command queue of its own: recorded in command buffers that go to the device when they hold enough
// or somebody waits. Memory is the host's, too, so transfers are the host's copies whenever nothing is in flight.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>

#include "device/metal/buffer.hpp"
#include "device/metal/pipeline.hpp"

namespace ab::device::metal {

/// One thread at a time. After an Error the stream can be used again, unless the device is lost.
class CommandStream {
 public:
  static constexpr int most_launches = 64;  // in a command buffer, so the device begins while a long product is still being recorded
  // Inner operations in a command buffer. Chosen: some milliseconds, since macOS stops command buffers that run for seconds.
  static constexpr Index most_work = Index{1} << 31;
  static constexpr std::size_t most_in_flight = 16;                 // command buffers; a queue has 64
  static constexpr std::size_t small_bytes = std::size_t{1} << 16;  // written behind what is in flight rather than after it

  struct Place {
    const Buffer* buffer;  // null: the kernel does not touch it
    std::size_t offset;
  };
  struct Launch {
    const Pipeline* pipeline;
    std::span<const Place> buffers;
    std::span<const std::byte> params;
    std::array<std::uint32_t, 3> groups;
    Index work;
  };

  explicit CommandStream(std::shared_ptr<Gpu> gpu);
  CommandStream(const CommandStream&) = delete;
  CommandStream& operator=(const CommandStream&) = delete;
  ~CommandStream();

  /// Returns when `from` may change.
  void write(const Place& to, std::span<const std::byte> from);
  /// Returns when `to` is complete.
  void read(const Place& from, std::span<std::byte> to);
  void copy(const Place& from, const Place& to, std::size_t bytes);
  void launch(const Launch& launch);
  /// Returns when everything is done; throws what the first command buffer that failed says.
  void finish();
  /// Returns when everything is done; what failed is still said by the next `finish`.
  void wait();

 private:
  enum class Encoder { None, Compute, Blit };
  bool is_quiet();
  id encoder(Encoder kind);
  void end_encoder();
  void commit();
  void bind(id compute, const Launch& launch);
  void write_behind(const Place& to, std::span<const std::byte> from);

  const std::shared_ptr<Gpu> gpu_;
  Owned queue_;
  std::unique_ptr<Buffer> nothing_;  // bound where a kernel touches nothing
  Owned commands_, encoder_;         // being recorded
  Encoder kind_ = Encoder::None;
  int launches_ = 0;
  Index work_ = 0;
  std::deque<Owned> in_flight_;
};

}  // namespace ab::device::metal
