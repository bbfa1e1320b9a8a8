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
  if (memory_) pool_->take_back(std::move(memory_), slack_bytes_);
  pool_.reset();
}

Lease BufferPool::lease(std::size_t bytes, const MakeRoom& make_room) {
  const std::size_t wanted = size_class(bytes);
  std::unique_ptr<Memory> memory = find_kept(wanted);
  if (!memory) memory = allocate(wanted, make_room);
  const std::size_t slack = memory->bytes() - wanted;
  return Lease(shared_from_this(), std::move(memory), slack);
}

// One of another size only while all that is reserved fits under the cap beside what it has too much.
std::unique_ptr<Memory> BufferPool::find_kept(std::size_t bytes) {
  const std::scoped_lock lock(process_mutex());
  for (auto it = kept_.begin(); it != kept_.end(); ++it) {
    const std::size_t size = (*it)->bytes();
    if (size < bytes || size / 2 > bytes || (size > bytes && reserved_bytes_ + slack_bytes_ + (size - bytes) > cap_)) continue;
    std::unique_ptr<Memory> found = std::move(*it);
    kept_.erase(it);
    kept_bytes_ -= size;
    used_bytes_ += size;
    claimed_bytes_ += size;
    slack_bytes_ += size - bytes;
    return found;
  }
  return nullptr;
}

// What is beyond the cap then.
std::uint64_t BufferPool::claim(std::size_t bytes) {
  const std::scoped_lock lock(process_mutex());
  claimed_bytes_ += bytes;
  return claimed_bytes_ > cap_ ? claimed_bytes_ - cap_ : 0;
}

std::unique_ptr<Memory> BufferPool::allocate(std::size_t bytes, const MakeRoom& make_room) {
  {
    std::unique_lock one(making_room_, std::defer_lock);
    if (!is_forked_child()) one.lock();
    const std::uint64_t excess = claim(bytes);
    if (excess > 0 && make_room) make_room(excess);
    std::list<std::unique_ptr<Memory>> given_up;
    const std::scoped_lock lock(process_mutex());
    given_up = take_beyond_cap();
  }
  const auto allocated = [&] {
    try {
      return device_.allocate(bytes);
    } catch (const Error&) {
      trim();
      return device_.allocate(bytes);
    }
  };
  try {
    std::unique_ptr<Memory> memory = allocated();
    const std::scoped_lock lock(process_mutex());
    used_bytes_ += bytes;
    if (used_bytes_ + kept_bytes_ > peak_bytes_) peak_bytes_ = used_bytes_ + kept_bytes_;
    return memory;
  } catch (...) {
    const std::scoped_lock lock(process_mutex());
    claimed_bytes_ -= bytes;
    throw;
  }
}

bool BufferPool::has_room_for(std::uint64_t bytes) const {
  const std::uint64_t taken = reserved_bytes_ + slack_bytes_;
  return reserved_bytes_ == 0 || (taken <= cap_ && bytes <= cap_ - taken);
}

std::uint64_t BufferPool::reserve(std::uint64_t bytes) {
  if (is_forked_child()) return 0;
  std::uint64_t ticket = 0;
  while (true) {
    std::uint32_t seen = 0;
    {
      const std::scoped_lock lock(process_mutex());
      if (ticket == 0) ticket = ++last_ticket_;
      if (ticket == served_ + 1 && has_room_for(bytes)) {
        served_ = ticket;
        reserved_bytes_ += bytes;
        changes_.fetch_add(1);
        break;
      }
      seen = changes_.load();
    }
    changes_.wait(seen);
  }
  changes_.notify_all();
  return bytes;
}

void BufferPool::give_back(std::uint64_t reserved_bytes) noexcept {
  if (reserved_bytes == 0) return;
  {
    const std::scoped_lock lock(process_mutex());
    reserved_bytes_ -= reserved_bytes;
    changes_.fetch_add(1);
  }
  changes_.notify_all();
}

void BufferPool::take_back(std::unique_ptr<Memory> memory, std::size_t slack_bytes) noexcept {
  std::list<std::unique_ptr<Memory>> given_up;  // freed outside of the lock
  const std::scoped_lock lock(process_mutex());
  const std::size_t bytes = memory->bytes();
  used_bytes_ -= bytes;
  claimed_bytes_ -= bytes;
  slack_bytes_ -= slack_bytes;
  try {
    kept_.push_front(std::move(memory));
  } catch (...) {
    return;
  }
  kept_bytes_ += bytes;
  given_up = take_beyond_cap();
}

std::list<std::unique_ptr<Memory>> BufferPool::take_beyond_cap() {
  constexpr std::size_t most_kept = 64;
  std::list<std::unique_ptr<Memory>> taken;
  while (!kept_.empty() && (claimed_bytes_ + kept_bytes_ > cap_ || kept_.size() > most_kept)) {
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
