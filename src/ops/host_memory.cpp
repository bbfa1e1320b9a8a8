// SPDX-License-Identifier: MIT
#include "ops/host_memory.hpp"

#include <unistd.h>

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "core/error.hpp"
#include "core/process.hpp"
#include "ops/open_device.hpp"

namespace ab::ops {

struct RegisteredRange {
  std::span<std::byte> bytes;
  std::atomic<int> users{0};
  bool leaving = false;                                             // unregister waits for the users; nobody new comes
  std::map<const Context*, std::unique_ptr<device::Memory>> taken;  // null: the device cannot
};

namespace {

struct Ranges {
  std::list<RegisteredRange> list;
  pid_t process = 0;  // whose registrations these are
};

constinit std::atomic<std::size_t> registered_count{0};

// Only under the process lock. A child begins with none: what its parent's devices have taken is theirs and is left alone.
Ranges& ranges() {
  static constinit Ranges* current = nullptr;
  const pid_t self = getpid();
  if (current == nullptr || current->process != self) {
    current = new Ranges{{}, self};  // never destroyed: calls may run while the process exits
    registered_count.store(0, std::memory_order_relaxed);
  }
  return *current;
}

bool overlaps(const RegisteredRange& range, std::span<const std::byte> other) {
  return range.bytes.data() < other.data() + other.size() && other.data() < range.bytes.data() + range.bytes.size();
}

std::list<RegisteredRange>::iterator find_base(Ranges& all, const void* base) {
  auto found = all.list.begin();
  while (found != all.list.end() && (found->bytes.data() != base || found->leaving)) ++found;
  return found;
}

std::size_t words_begin(const std::byte* base) {
  return (sizeof(double) - reinterpret_cast<std::uintptr_t>(base) % sizeof(double)) % sizeof(double);
}

}  // namespace

void register_host_memory(void* base, std::size_t bytes) {
  if (base == nullptr) throw Error(Status::InvalidArgument, "base is NULL");
  if (bytes == 0) throw Error(Status::InvalidArgument, "nbytes is 0");
  if (reinterpret_cast<std::uintptr_t>(base) > UINTPTR_MAX - bytes) {
    throw Error(Status::InvalidArgument, "nbytes is " + std::to_string(bytes) + ": base + nbytes is no address");
  }
  watch_forks();
  const std::span<std::byte> fresh(static_cast<std::byte*>(base), bytes);
  const std::scoped_lock lock(process_mutex());
  Ranges& all = ranges();
  for (const RegisteredRange& range : all.list) {
    if (overlaps(range, fresh)) throw Error(Status::InvalidArgument, "base, nbytes: the range overlaps one that is registered");
  }
  all.list.emplace_back().bytes = fresh;
  registered_count.store(all.list.size(), std::memory_order_relaxed);
}

void unregister_host_memory(void* base) {
  std::list<RegisteredRange> leaving;  // destroyed outside of the lock: a device gives its memory back
  std::list<RegisteredRange>::iterator range;
  {
    const std::scoped_lock lock(process_mutex());
    range = find_base(ranges(), base);
    if (range == ranges().list.end()) throw Error(Status::InvalidArgument, "base is the start of no registered range");
    range->leaving = true;
  }
  for (int users = range->users.load(); users != 0; users = range->users.load()) range->users.wait(users);
  const std::scoped_lock lock(process_mutex());
  Ranges& all = ranges();
  leaving.splice(leaving.begin(), all.list, range);
  registered_count.store(all.list.size(), std::memory_order_relaxed);
}

bool any_registered() noexcept {
  return registered_count.load(std::memory_order_relaxed) != 0;
}

std::optional<RegisteredSpan> find_registered(std::span<const std::byte> span) {
  if (!any_registered()) return std::nullopt;
  const std::scoped_lock lock(process_mutex());
  for (RegisteredRange& range : ranges().list) {
    if (range.leaving || span.data() < range.bytes.data()) continue;
    const auto offset = static_cast<std::size_t>(span.data() - range.bytes.data());
    if (offset > range.bytes.size() || span.size() > range.bytes.size() - offset) continue;
    range.users.fetch_add(1);
    return RegisteredSpan(range, offset);
  }
  return std::nullopt;
}

RegisteredSpan::~RegisteredSpan() {
  if (range_ == nullptr) return;
  const std::scoped_lock lock(process_mutex());  // who waits takes it before the range goes
  if (range_->users.fetch_sub(1) == 1) range_->users.notify_all();
}

device::Slice RegisteredSpan::place(Context& context) const {
  // Devices count in words from the first whole word of the range.
  const std::size_t lead = words_begin(range_->bytes.data());
  if (lead > offset_) return {};
  const auto slice_of = [&](const std::unique_ptr<device::Memory>& memory) {
    return device::Slice{memory.get(), memory ? offset_ - lead : 0};
  };
  {
    const std::scoped_lock lock(process_mutex());
    const auto known = range_->taken.find(&context);
    if (known != range_->taken.end()) return slice_of(known->second);
  }
  // Taking may last: nobody else waits. Of two threads at once one may find the range taken by the other, and copies this time.
  std::unique_ptr<device::Memory> fresh = context.device().adopt(range_->bytes.subspan(lead));
  const std::scoped_lock lock(process_mutex());
  std::unique_ptr<device::Memory>& taken = range_->taken[&context];
  if (taken == nullptr) taken = std::move(fresh);
  return slice_of(taken);
}

void release_registered(const Context& context) noexcept {
  if (!any_registered()) return;
  std::list<std::unique_ptr<device::Memory>> given_back;
  const std::scoped_lock lock(process_mutex());
  for (RegisteredRange& range : ranges().list) {
    const auto taken = range.taken.find(&context);
    if (taken == range.taken.end()) continue;
    try {
      given_back.push_back(std::move(taken->second));
    } catch (...) {  // no memory for a list: it goes under the lock
    }
    range.taken.erase(taken);
  }
}

}  // namespace ab::ops
