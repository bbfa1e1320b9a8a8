// SPDX-License-Identifier: MIT
#include "ops/context.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "core/error.hpp"
#include "core/float_environment.hpp"
#include "core/process.hpp"
#include "core/settings.hpp"
#include "core/thread_state.hpp"
#include "device/fp64_product.hpp"
#include "device/registry.hpp"
#include "device/self_test.hpp"
#include "ops/host_memory.hpp"
#include "ops/open_device.hpp"
#include "ops/prepared.hpp"
#include "ops/product_test.hpp"
#include "ops/timed.hpp"

namespace ab::ops {
namespace {

constexpr int cpu_index = 0;      // the list of devices begins with it
constexpr int packer_index = -1;  // in no list

// What is open. Guarded by process_mutex(), but for `opening`.
struct Library {
  std::mutex opening;
  bool initialized = false;
  std::map<int, std::shared_ptr<Context>> open;
  DeviceUse use;  // of contexts that are closed; device and cap of the last one opened
};

// Never destroyed: other threads may still compute while the process exits. Only called under the lock, so that no fork catches it at
// its first use.
Library& library() {
  static Library* const instance = new Library;
  return *instance;
}

// GPUs are opened and tested by one thread, for which the others wait: each would compile all kernels. A forked child may have the mutex
// locked for ever, but opens the cpu device alone.
std::unique_lock<std::mutex> alone_with(int index) {
  if (index == cpu_index || ab::is_forked_child()) return {};
  std::mutex* opening = nullptr;
  {
    const std::scoped_lock lock(process_mutex());
    opening = &library().opening;
  }
  return std::unique_lock(*opening);
}

std::uint64_t cap_for(const device::Traits& traits) {
  const Settings& set = settings();
  constexpr std::uint64_t megabyte = 1u << 20;
  if (set.staging_mb >= 0) return static_cast<std::uint64_t>(set.staging_mb) * megabyte;
  const std::uint64_t share = traits.memory_bytes / 2 / static_cast<std::uint64_t>(set.local_size > 0 ? set.local_size : 1);
  return share < 2048 * megabyte ? share : 2048 * megabyte;
}

// Tests a device once per process; the verdict stays.
void test_once(Context& context) {
  if (device::trust_of(context.index()).trust != device::Trust::Untested) return;
  const FloatEnvironment standard;  // the stored cases overflow and make NaNs on purpose
  const Unwatched unwatched;
  std::string reason = device::self_test(context.device());
  if (reason.empty()) reason = test_products(context);
  device::set_trust(context.index(), {reason.empty() ? device::Trust::Passed : device::Trust::Refused, reason});
}

std::shared_ptr<Context> find_open(int index) {
  const std::scoped_lock lock(process_mutex());
  const auto found = library().open.find(index);
  return found == library().open.end() ? nullptr : found->second;
}

void note_refusal(int index, const std::string& reason) {
  const std::scoped_lock lock(process_mutex());
  if (DeviceUse& use = library().use; use.device < 0 || !use.refusal.empty()) use = {.device = index, .refusal = reason};
}

// Under the lock. The cpu device may only have helped out: another one counts more.
void note_opening(const Context& context) {
  DeviceUse& use = library().use;
  if (context.index() == cpu_index && use.device > cpu_index && use.refusal.empty()) return;
  use.device = context.index();
  use.refusal.clear();
  use.cap_bytes = context.cap_bytes();
}

std::shared_ptr<Context> open_context(int index) {
  if (std::shared_ptr<Context> found = find_open(index)) return found;
  const std::unique_lock<std::mutex> alone = alone_with(index);
  if (std::shared_ptr<Context> found = find_open(index)) return found;
  device::Device& device = device::open(index);
  auto context = std::make_shared<Context>(index, device, cap_for(device.traits()));
  test_once(*context);
  const device::TrustState state = device::trust_of(index);
  if (state.trust == device::Trust::Refused) {
    note_refusal(index, state.reason);
    throw Error(Status::NoDevice, "device " + device.traits().id + " is refused by its self-test: " + state.reason);
  }
  const std::scoped_lock lock(process_mutex());
  note_opening(*context);
  return library().open.try_emplace(index, context).first->second;  // the first of several threads wins
}

// AB_DEVICE; else the best device that is not refused. A forked child has no other than `cpu`.
int default_device_index() {
  if (ab::is_forked_child()) return cpu_index;
  const std::string& asked = settings().device;
  if (!asked.empty()) {
    const int index = device::index_of_id(asked);
    if (index < 0) throw Error(Status::NoDevice, "AB_DEVICE=" + asked + ": there is no such device here");
    return index;
  }
  return device::default_index();
}

// The best device that opens and passes its test: what nobody asked for by name need not be there.
std::shared_ptr<Context> open_default_context() {
  while (true) {
    const int index = default_device_index();
    try {
      return open_context(index);
    } catch (const Error& error) {
      if (index == cpu_index || !settings().device.empty()) throw;
      device::set_trust(index, {device::Trust::Refused, error.what()});
    }
  }
}

}  // namespace

Context::Context(int index, device::Device& device, std::uint64_t cap_bytes)
    : index_(index),
      device_(device),
      cap_bytes_(cap_bytes),
      pool_(std::make_shared<device::BufferPool>(device, cap_bytes)),
      prepared_(std::make_unique<PreparedOperands>(cap_bytes / 2)),
      kernels_(device),
      queue_(device.open_queue()) {}

Context::~Context() {
  release_registered(*this);
}

device::Queue& Context::queue_of_stream(std::uint64_t stream) {
  {
    const std::scoped_lock lock(process_mutex());
    const auto found = stream_queues_.find(stream);
    if (found != stream_queues_.end()) return *found->second;
  }
  std::unique_ptr<device::Queue> opened = device_.open_queue();
  const std::scoped_lock lock(process_mutex());
  return *stream_queues_.emplace(stream, std::move(opened)).first->second;
}

Lease Context::lease(std::size_t bytes) {
  const auto make_room = [this](std::uint64_t excess_bytes) { prepared_->give_way(excess_bytes); };
  try {
    return pool_->lease(bytes, make_room);
  } catch (const Error&) {
    prepared_->give_way(UINT64_MAX);
    return pool_->lease(bytes);
  }
}

const device::Kernel& Context::fp64_product() {
  const std::scoped_lock lock(loading_);
  if (fp64_product_ == nullptr) fp64_product_ = device_.load({device::fp64_product_name});
  return *fp64_product_;
}

void Context::launch(Text text, std::uint64_t groups, Index work, std::initializer_list<Argument> arguments) {
  if (groups == 0) return;
  device::Grid grid;
  grid.x = static_cast<std::uint32_t>(groups < AB_FOLD ? groups : AB_FOLD);
  grid.y = static_cast<std::uint32_t>((groups + AB_FOLD - 1) / AB_FOLD);
  grid.work = work;
  queue_->launch(kernels_.get(text), grid, std::span<const Argument>(arguments.begin(), arguments.size()));
}

namespace {

void close_streams(Context& context) {
  Context::StreamQueues closed;
  const std::scoped_lock lock(process_mutex());
  closed = context.take_streams();
}

void note_peak(std::uint64_t bytes) {
  const std::scoped_lock lock(process_mutex());
  library().use.peak_bytes = std::max(library().use.peak_bytes, bytes);
}

}  // namespace

void initialize() {
  current_context();
}

void shutdown() {
  std::map<int, std::shared_ptr<Context>> closed;
  {
    const std::scoped_lock lock(process_mutex());
    closed.swap(library().open);
    library().initialized = false;
    for (auto& [index, context] : closed) context->kill();
  }
  for (auto& [index, context] : closed) {
    try {
      if (!is_forked_child() || index == cpu_index) context->queue().finish();
    } catch (const Error&) {  // a lost device has nothing left to wait for
    }
    close_streams(*context);
    context->prepared().close();
    release_registered(*context);
    context->pool().trim();
    note_peak(context->pool().peak_bytes());
  }
}

bool is_initialized() {
  const std::scoped_lock lock(process_mutex());
  return library().initialized;
}

std::shared_ptr<Context> current_context() {
  const int own = ab::is_forked_child() ? -1 : thread_state().device;
  std::shared_ptr<Context> context = own >= 0 ? open_context(own) : open_default_context();
  const std::scoped_lock lock(process_mutex());
  library().initialized = true;
  return context;
}

std::shared_ptr<Context> packing_context() {
  if (std::shared_ptr<Context> found = find_open(packer_index)) return found;
  device::Device& device = device::open_packer();
  auto context = std::make_shared<Context>(cpu_index, device, cap_for(device.traits()));
  const std::scoped_lock lock(process_mutex());
  return library().open.try_emplace(packer_index, context).first->second;
}

std::shared_ptr<Context> current_context_if_initialized() {
  return is_initialized() ? current_context() : nullptr;
}

bool alive(const Context& context) {
  if (context.dead()) return false;
  return !is_forked_child() || context.index() == cpu_index;
}

int current_device_index() {
  const int own = thread_state().device;
  if (own >= 0 && !is_forked_child()) return own;
  try {
    return default_device_index();
  } catch (const Error&) {
    return 0;
  }
}

void select_device(int index) {
  if (index < 0 || index >= device::count()) {
    throw Error(Status::InvalidArgument, "index is " + std::to_string(index) + ", expected 0 to " + std::to_string(device::count() - 1));
  }
  if (is_forked_child() && index != cpu_index) {
    throw Error(Status::NoDevice, device::traits_of(index).id + " cannot be used in a forked child");
  }
  open_context(index);
  thread_state().device = index;
}

bool is_forked_child() {
  return ab::is_forked_child();
}

device::Device& device_of(Context& context) {
  return context.device();
}
device::Queue& queue_of(Context& context) {
  return context.queue();
}
device::Queue& queue_of_stream(Context& context, std::uint64_t stream) {
  return context.queue_of_stream(stream);
}
void close_stream(std::uint64_t stream) {
  std::vector<Context::StreamQueues::node_type> closed;
  const std::scoped_lock lock(process_mutex());
  for (auto& [index, context] : library().open) closed.push_back(context->take_stream(stream));
}
int index_of(const Context& context) {
  return context.index();
}

std::unique_ptr<device::Memory> allocate(Context& context, std::size_t bytes) {
  try {
    return context.device().allocate(bytes);
  } catch (const Error&) {
    context.prepared().give_way(UINT64_MAX);
    context.pool().trim();
    return context.device().allocate(bytes);
  }
}

void forget(Context& context, std::uint64_t contents) {
  context.prepared().forget(contents);
}

DeviceUse device_use() {
  std::map<int, std::shared_ptr<Context>> open;
  DeviceUse use;
  {
    const std::scoped_lock lock(process_mutex());
    open = library().open;
    use = library().use;
  }
  open.erase(packer_index);  // what it holds is memory of the host
  for (const auto& [index, context] : open) use.peak_bytes = std::max(use.peak_bytes, context->pool().peak_bytes());
  return use;
}

MemoryUse memory_use(const Context& context) {
  return {context.pool().held_bytes(), context.pool().peak_bytes()};
}

}  // namespace ab::ops
