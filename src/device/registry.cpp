// SPDX-License-Identifier: MIT
#include "device/registry.hpp"

#include <algorithm>
#include <atomic>
#include <deque>

#include "core/ample_stack.hpp"
#include "core/process.hpp"
#include "core/settings.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/metal/metal_device.hpp"
#include "device/vulkan/vulkan_device.hpp"

namespace ab::device {
namespace {

using Opener = std::unique_ptr<Device> (*)(int ordinal);

struct Entry {
  Entry(Traits traits, Opener open, int ordinal) : traits(std::move(traits)), open(open), ordinal(ordinal) {}
  const Traits traits;
  const Opener open;
  const int ordinal;  // among the devices of its backend
  TrustState trust;   // written and read under the lock
  std::unique_ptr<Device> device;
};

struct List {
  std::deque<Entry> entries;
  std::vector<int> default_order;
  std::atomic<int> default_index{0};  // the first of them that is not refused
};

std::string kind_of(const std::string& id) {
  return id.substr(0, id.find(':'));
}

// Devices of a kind, from that of the local rank on. Those that are no default come only where the kind has no others.
std::vector<int> devices_of_kind(const std::deque<Entry>& entries, const std::string& kind) {
  std::vector<int> found, on_request;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (kind_of(entries[i].traits.id) != kind) continue;
    (entries[i].traits.only_on_request ? on_request : found).push_back(static_cast<int>(i));
  }
  if (found.empty()) found = on_request;
  const int rank = settings().local_rank;
  if (rank > 0 && !found.empty()) {
    std::rotate(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(rank) % found.size()), found.end());
  }
  return found;
}

// The order of the list is that of preference, but for cpu. So a GPU that two backends list is taken through the first of them.
std::vector<int> order_of_preference(const std::deque<Entry>& entries) {
  std::vector<int> order;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const std::string kind = kind_of(entries[i].traits.id);
    if (kind == kind_of(entries[i - 1].traits.id)) continue;
    for (const int index : devices_of_kind(entries, kind)) {
      if (!entries[static_cast<std::size_t>(index)].traits.only_on_request) order.push_back(index);
    }
  }
  order.push_back(0);
  return order;
}

// Loads drivers.
void list_gpus(std::deque<Entry>& entries) {
  int ordinal = 0;
  for (const Traits& traits : describe_cuda()) entries.emplace_back(traits, open_cuda, ordinal++);
  ordinal = 0;
  for (const Traits& traits : describe_metal()) entries.emplace_back(traits, open_metal, ordinal++);
  ordinal = 0;
  for (const Traits& traits : describe_vulkan()) entries.emplace_back(traits, open_vulkan, ordinal++);
}

std::unique_ptr<List> find_devices() {
  watch_forks();
  auto found = std::make_unique<List>();
  std::deque<Entry>& entries = found->entries;
  entries.emplace_back(
      cpu_traits(), [](int) { return open_cpu(); }, 0);
  found->default_order = {0};
  if (is_forked_child()) return found;  // it has no other; a driver that another thread was loading at the fork would hang
  with_ample_stack([&] { list_gpus(entries); });
  found->default_order = order_of_preference(entries);
  found->default_index = found->default_order.front();
  return found;
}

// Never destroyed: other threads may compute while the process exits. No static with a guard, which a fork in another thread could
// leave locked in the child: whoever is first publishes.
template <class T, class Make>
[[gnu::cold]] T& publish(std::atomic<T*>& place, Make make) {
  std::unique_ptr<T> made = make();
  T* there = nullptr;
  return place.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel) ? *made.release() : *there;
}
template <class T, class Make>
T& published(std::atomic<T*>& place, Make make) {
  T* there = place.load(std::memory_order_acquire);
  return there != nullptr ? *there : publish(place, make);
}

List& devices() {
  static constinit std::atomic<List*> list{nullptr};
  return published(list, find_devices);
}

Entry& entry(int index) {
  return devices().entries[static_cast<std::size_t>(index)];
}

// Drivers compile kernels meanwhile. A forked child opens cpu alone, and makes no thread for it.
std::unique_ptr<Device> open_entry(const Entry& entry) {
  if (entry.traits.id == cpu_traits().id) return entry.open(entry.ordinal);
  std::unique_ptr<Device> opened;
  with_ample_stack([&] { opened = entry.open(entry.ordinal); });
  return opened;
}

}  // namespace

int count() {
  return static_cast<int>(devices().entries.size());
}

const Traits& traits_of(int index) {
  return entry(index).traits;
}

const Traits& cpu_traits() {
  static constinit std::atomic<const Traits*> traits{nullptr};
  return published(traits, [] { return std::make_unique<const Traits>(describe_cpu()); });
}

int index_of_id(const std::string& id) {
  const std::deque<Entry>& entries = devices().entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].traits.id == id) return static_cast<int>(i);
  }
  const std::vector<int> kind = id.find(':') == std::string::npos ? devices_of_kind(entries, id) : std::vector<int>();
  return kind.empty() ? -1 : kind.front();
}

const std::vector<int>& default_order() {
  return devices().default_order;
}

int default_index() {
  return devices().default_index.load(std::memory_order_relaxed);
}

TrustState trust_of(int index) {
  Entry& found = entry(index);
  const std::scoped_lock lock(process_mutex());
  return found.trust;
}

void set_trust(int index, const TrustState& state) {
  List& list = devices();
  const auto is_refused = [&list](int i) { return list.entries[static_cast<std::size_t>(i)].trust.trust == Trust::Refused; };
  const std::scoped_lock lock(process_mutex());
  entry(index).trust = state;
  const auto best = std::find_if_not(list.default_order.begin(), list.default_order.end(), is_refused);
  list.default_index.store(best != list.default_order.end() ? *best : 0, std::memory_order_relaxed);
}

Device& open(int index) {
  Entry& found = entry(index);
  {
    const std::scoped_lock lock(process_mutex());
    if (found.device) return *found.device;
  }
  // A driver may take its time: nobody waits for it but who wants the device. The first of several threads wins.
  std::unique_ptr<Device> opened = open_entry(found);
  const std::scoped_lock lock(process_mutex());
  if (!found.device) found.device = std::move(opened);
  return *found.device;
}

Device& open_packer() {
  static constinit std::atomic<Device*> packer{nullptr};
  // From AVX2 and NEON down, engines keep that layout (device/cpu/native).
  return published(packer, [] { return open_cpu_with(std::max(settings().cpu_kernels, CpuKernels::Avx2)); });
}

}  // namespace ab::device
