// SPDX-License-Identifier: MIT
#include "device/buffer_pool.hpp"

#include <bit>

#include "core/error.hpp"
#include "core/process.hpp"

namespace ab::device {
namespace {

// Eighths of powers of two: products of similar size share buffers, at most an eighth is wasted.
std::size_t size_class(std::size_t bytes) {
  constexpr std::size_t smallest = 4096;
  if (bytes <= smallest) return smallest;
  const std::size_t step = std::bit_floor(bytes - 1) / 8 > 256 ? std::bit_floor(bytes - 1) / 8 : 256;
  return (bytes + step - 1) / step * step;
}

}  // namespace

void Lease::release() noexcept {
  if (memory_) pool_->take_back(std::move(memory_));
  pool_.reset();
}

Lease BufferPool::lease(std::size_t bytes) {
  const std::size_t wanted = size_class(bytes);
  std::unique_ptr<Memory> memory = find_kept(wanted);
  if (!memory) memory = allocate(wanted);
  {
    const std::scoped_lock lock(process_mutex());
    used_bytes_ += memory->bytes();
    if (used_bytes_ + kept_bytes_ > peak_bytes_) peak_bytes_ = used_bytes_ + kept_bytes_;
  }
  return Lease(shared_from_this(), std::move(memory));
}

std::unique_ptr<Memory> BufferPool::find_kept(std::size_t bytes) {
  const std::scoped_lock lock(process_mutex());
  for (auto it = kept_.begin(); it != kept_.end(); ++it) {
    if ((*it)->bytes() < bytes || (*it)->bytes() / 2 > bytes) continue;
    std::unique_ptr<Memory> found = std::move(*it);
    kept_.erase(it);
    kept_bytes_ -= found->bytes();
    return found;
  }
  return nullptr;
}

std::unique_ptr<Memory> BufferPool::allocate(std::size_t bytes) {
  {
    std::list<std::unique_ptr<Memory>> given_up;
    const std::scoped_lock lock(process_mutex());
    given_up = take_beyond_cap(bytes);
  }
  try {
    return device_.allocate(bytes);
  } catch (const Error&) {
    trim();
    return device_.allocate(bytes);
  }
}

void BufferPool::take_back(std::unique_ptr<Memory> memory) noexcept {
  std::list<std::unique_ptr<Memory>> given_up;  // freed outside of the lock
  const std::scoped_lock lock(process_mutex());
  used_bytes_ -= memory->bytes();
  kept_bytes_ += memory->bytes();
  try {
    kept_.push_front(std::move(memory));
  } catch (...) {
    kept_bytes_ -= memory->bytes();
    return;
  }
  given_up = take_beyond_cap(0);
}

std::list<std::unique_ptr<Memory>> BufferPool::take_beyond_cap(std::size_t more) {
  constexpr std::size_t most_kept = 64;
  std::list<std::unique_ptr<Memory>> taken;
  while (!kept_.empty() && (used_bytes_ + kept_bytes_ + more > cap_ || kept_.size() > most_kept)) {
    kept_bytes_ -= kept_.back()->bytes();
    taken.splice(taken.begin(), kept_, std::prev(kept_.end()));
  }
  return taken;
}

void BufferPool::trim() {
  std::list<std::unique_ptr<Memory>> given_up;
  const std::scoped_lock lock(process_mutex());
  given_up.swap(kept_);
  kept_bytes_ = 0;
}

std::uint64_t BufferPool::held_bytes() const {
  const std::scoped_lock lock(process_mutex());
  return used_bytes_ + kept_bytes_;
}

std::uint64_t BufferPool::used_bytes() const {
  const std::scoped_lock lock(process_mutex());
  return used_bytes_;
}

std::uint64_t BufferPool::peak_bytes() const {
  const std::scoped_lock lock(process_mutex());
  return peak_bytes_;
}

}  // namespace ab::device
