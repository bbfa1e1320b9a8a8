// SPDX-License-Identifier: MIT
// The inside of a Context: what the steps of a product use.
#pragma once
#include <atomic>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/buffer_pool.hpp"
#include "device/kernel_cache.hpp"
#include "kernels/host.hpp"
#include "ops/context.hpp"

namespace ab::ops {

using device::Argument;
using device::Lease;
using device::Slice;
using device::Text;

class PreparedOperands;

class Context {
 public:
  Context(int index, device::Device& device, std::uint64_t cap_bytes);
  ~Context();

  int index() const { return index_; }
  device::Device& device() { return device_; }
  device::Queue& queue() { return *queue_; }
  device::BufferPool& pool() { return *pool_; }
  const device::BufferPool& pool() const { return *pool_; }
  const std::shared_ptr<device::BufferPool>& shared_pool() const { return pool_; }
  device::Queue& queue_of_stream(std::uint64_t stream);
  using StreamQueues = std::map<std::uint64_t, std::unique_ptr<device::Queue>>;
  /// Under the process mutex; what is taken from here is destroyed without it.
  StreamQueues::node_type take_stream(std::uint64_t stream) { return stream_queues_.extract(stream); }
  StreamQueues take_streams() { return std::exchange(stream_queues_, {}); }
  PreparedOperands& prepared() { return *prepared_; }
  std::uint64_t cap_bytes() const { return cap_bytes_; }
  bool dead() const { return dead_; }
  void kill() { dead_ = true; }

  /// Device memory of the pool. Prepared operands that nobody uses give way to the cap, and before there is said to be no memory.
  Lease lease(std::size_t bytes);

  /// The device's own FP64 product (device/fp64_product.hpp), loaded when it is first asked for. Throws Error(ShaderCompile).
  const device::Kernel& fp64_product();

  /// Launches `groups` groups of a kernel; `groups` also goes to the kernel in its params. `work`: rough inner operations.
  void launch(Text text, std::uint64_t groups, Index work, std::initializer_list<Argument> arguments);

 private:
  int index_;
  device::Device& device_;
  std::uint64_t cap_bytes_;
  std::shared_ptr<device::BufferPool> pool_;
  std::unique_ptr<PreparedOperands> prepared_;
  device::KernelCache kernels_;
  std::unique_ptr<device::Queue> queue_;
  std::mutex loading_;
  std::unique_ptr<device::Kernel> fp64_product_;  // guarded by loading_; null: not asked for yet, or not there
  StreamQueues stream_queues_;                    // under the process mutex, so that a forked child finds them whole
  std::atomic<bool> dead_{false};
};

template <class Params>
Argument params(const Params& value) {
  return std::as_bytes(std::span<const Params>(&value, 1));
}

/// Device memory holding a copy of host values.
template <class T>
Lease upload(Context& context, std::span<const T> values) {
  Lease lease = context.lease(values.size_bytes() > 0 ? values.size_bytes() : sizeof(T));
  context.queue().write(lease.memory(), 0, std::as_bytes(values));
  return lease;
}

/// Two arrays in one piece of device memory, moved by one transfer: each costs a device far more than its bytes do.
struct Pair {
  Lease lease;
  std::size_t second_at = 0;  // bytes
  Slice first() const { return lease.slice(); }
  Slice second() const { return lease.slice(second_at); }
};
/// Where the second of two arrays begins: every device can bind multiples of this.
inline std::size_t place_behind(std::size_t bytes) {
  constexpr std::size_t unit = 256;
  return (bytes + unit - 1) / unit * unit;
}
template <class A, class B>
Pair upload(Context& context, std::span<const A> first, std::span<const B> second) {
  const std::size_t second_at = place_behind(first.size_bytes());
  std::vector<std::byte> both(second_at + second.size_bytes());
  std::memcpy(both.data(), first.data(), first.size_bytes());
  std::memcpy(both.data() + second_at, second.data(), second.size_bytes());
  return {upload(context, std::span<const std::byte>(both)), second_at};
}

template <class T>
std::vector<T> download(Context& context, const Lease& lease, std::size_t count) {
  std::vector<T> values(count);
  context.queue().read(lease.memory(), 0, std::as_writable_bytes(std::span<T>(values)));
  return values;
}

}  // namespace ab::ops
