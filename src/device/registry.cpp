// SPDX-License-Identifier: MIT
#include "device/registry.hpp"

#include <atomic>
#include <deque>

#include "core/process.hpp"
#include "device/cpu/cpu_device.hpp"

namespace ab::device {
namespace {

struct Entry {
  Traits traits;
  std::unique_ptr<Device> (*open)();
  TrustState trust;
  std::unique_ptr<Device> device;
};

std::unique_ptr<std::deque<Entry>> find_devices() {
  watch_forks();
  auto found = std::make_unique<std::deque<Entry>>();
  found->push_back({describe_cpu(), open_cpu, {}, nullptr});
  return found;
}

// Never destroyed: other threads may compute while the process exits. No static with a guard, which a fork in another thread could
// leave locked in the child: whoever is first publishes.
std::deque<Entry>& entries() {
  static constinit std::atomic<std::deque<Entry>*> published{nullptr};
  std::deque<Entry>* list = published.load(std::memory_order_acquire);
  if (list != nullptr) return *list;
  std::unique_ptr<std::deque<Entry>> found = find_devices();
  return published.compare_exchange_strong(list, found.get(), std::memory_order_acq_rel) ? *found.release() : *list;
}

Entry& entry(int index) {
  return entries()[static_cast<std::size_t>(index)];
}

}  // namespace

int count() {
  return static_cast<int>(entries().size());
}

const Traits& traits_of(int index) {
  return entry(index).traits;
}

int index_of_id(const std::string& id) {
  for (int i = 0; i < count(); ++i) {
    const std::string& candidate = traits_of(i).id;
    if (candidate == id || candidate == id + ":0") return i;
  }
  return -1;
}

TrustState trust_of(int index) {
  Entry& found = entry(index);
  const std::scoped_lock lock(process_mutex());
  return found.trust;
}

void set_trust(int index, const TrustState& state) {
  Entry& found = entry(index);
  const std::scoped_lock lock(process_mutex());
  found.trust = state;
}

Device& open(int index) {
  Entry& found = entry(index);
  const std::scoped_lock lock(process_mutex());
  if (!found.device) found.device = found.open();
  return *found.device;
}

}  // namespace ab::device
