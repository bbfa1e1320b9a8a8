// SPDX-License-Identifier: MIT
#include "sim/cuda/fake_state.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "sim/cuda/native/native_functions.hpp"

namespace ab::test::fake {
namespace {

constexpr std::size_t margin = 256;
constexpr std::byte filler{0x5A};
constexpr Address bias = Address{1} << 62;  // a device address that is used on the host faults

bool is_untouched(const Buffer& buffer) {
  const auto is_filler = [](std::byte b) { return b == filler; };
  return std::all_of(buffer.guarded.begin(), buffer.guarded.begin() + margin, is_filler) &&
         std::all_of(buffer.guarded.end() - margin, buffer.guarded.end(), is_filler);
}

// The result that the call with the current number must return.
Result due_failure(State& now) {
  const bool due = now.failing_call > 0 &&
                   (now.calls == now.failing_call || (now.calls > now.failing_call && now.failures == FakeFailures::AllFromThere));
  if (!due) return device::cuda::success;
  if (device::cuda::is_final(now.failure) && !context_stack().empty()) context_stack().back()->lost = now.failure;
  return now.failure;
}

enum class Kind { Plain, Releasing, Pushing };

Result counted(const Body& body, Kind kind) {
  State& now = state();
  const std::scoped_lock lock(now.mutex);
  if (now.process != 0 && now.process != getpid()) return violation("a call in a forked child", not_initialized);
  ++now.calls;
  const bool spared = kind == Kind::Pushing && now.calls != now.failing_call;
  const Result failure = spared ? device::cuda::success : due_failure(now);
  if (failure != device::cuda::success && kind != Kind::Releasing) return failure;
  const Result result = body(now);
  return failure != device::cuda::success ? failure : result;
}

Result run_groups(const Launch& launch, std::vector<void*> buffers, std::vector<std::byte>& params) {
  constexpr std::size_t alignment = 64;
  std::vector<std::byte> space(kernels::scratch_bytes + alignment);
  void* at = space.data();
  std::size_t bytes = space.size();
  auto* const scratch = static_cast<std::byte*>(std::align(alignment, kernels::scratch_bytes, at, bytes));
  buffers.push_back(params.data());
  for (kernels::uint z = 0; z < launch.z; ++z) {
    for (kernels::uint y = 0; y < launch.y; ++y) {
      for (kernels::uint x = 0; x < launch.x; ++x) launch.function.kernel->run_group({buffers.data(), scratch, x, y, z});
    }
  }
  return device::cuda::success;
}

}  // namespace

State& state() {
  static State* const instance = new State;  // never destroyed: the program's own objects may still call at its end
  return *instance;
}

ContextStack& context_stack() {
  static constinit thread_local ContextStack stack;
  return stack;
}

Result call(const Body& body) {
  return counted(body, Kind::Plain);
}

Result releasing_call(const Body& body) {
  return counted(body, Kind::Releasing);
}

Result pushing_call(const Body& body) {
  return counted(body, Kind::Pushing);
}

Result call_in_context(const std::function<Result(State&, Context&)>& body) {
  return call([&](State& now) {
    if (context_stack().empty()) return violation("a call without a current context", invalid_context);
    Context& context = *context_stack().back();
    return context.lost != 0 ? context.lost : body(now, context);
  });
}

Result violation(const std::string& what, Result result) {
  State& now = state();
  if (now.violations++ == 0) now.first_violation = what;
  return result;
}

std::byte* host_place(Context& context, Address address, std::size_t bytes) {
  auto after = context.buffers.upper_bound(address);
  if (after != context.buffers.begin()) {
    const auto& [start, buffer] = *std::prev(after);
    if (address + bytes <= start + buffer.bytes) return reinterpret_cast<std::byte*>(address - bias);
  }
  const auto* const there = reinterpret_cast<std::byte*>(address - bias);
  for (const auto& [start, length] : context.mapped) {
    const auto* const first = static_cast<const std::byte*>(start);
    if (there >= first && there + bytes <= first + length) return const_cast<std::byte*>(there);
  }
  violation("an address, or a range from it, that is no memory of the context", illegal_address);
  return nullptr;
}

Result allocate(Context& context, Address* address, std::size_t bytes) {
  if (bytes == 0) return violation("cuMemAlloc of nothing", invalid_value);
  if (bytes > state().memory_limit || context.used_bytes > state().memory_limit - bytes) return device::cuda::out_of_memory;
  Buffer buffer{bytes, std::vector<std::byte>(bytes + 2 * margin, filler)};
  *address = reinterpret_cast<Address>(buffer.guarded.data() + margin) + bias;
  context.buffers.emplace(*address, std::move(buffer));
  context.used_bytes += bytes;
  return device::cuda::success;
}

Result release(Context& context, Address address) {
  run_all(context);
  const auto found = context.buffers.find(address);
  if (found == context.buffers.end()) return violation("cuMemFree of what is not allocated", invalid_value);
  if (!is_untouched(found->second)) violation("something was written beside a buffer", invalid_value);
  context.used_bytes -= found->second.bytes;
  context.buffers.erase(found);
  return device::cuda::success;
}

Result register_host(State& now, void* data, std::size_t bytes, unsigned flags) {
  constexpr Result already_registered = 712;
  const auto page = static_cast<std::uintptr_t>(getpagesize());
  const auto first = reinterpret_cast<std::uintptr_t>(data);
  if (first % page != 0 || bytes % page != 0 || bytes == 0 || (flags & 2) == 0)
    return violation("no whole pages to register", invalid_value);
  for (const auto& [start, length] : now.registered) {
    const auto other = reinterpret_cast<std::uintptr_t>(start);
    if (first < other + length && other < first + bytes) return already_registered;
  }
  now.registered.emplace(data, bytes);
  return device::cuda::success;
}

Address map_host(Context& context, void* data, std::size_t bytes) {
  context.mapped[data] = bytes;
  return reinterpret_cast<Address>(data) + bias;
}

bool is_pinned(const void* data, std::size_t bytes) {
  auto after = state().pinned.upper_bound(const_cast<void*>(data));
  if (after == state().pinned.begin()) return false;
  const auto& [start, length] = *std::prev(after);
  return static_cast<const std::byte*>(data) + bytes <= static_cast<const std::byte*>(start) + length;
}

Result run(Stream& stream, std::size_t until) {
  while (stream.finished < until && !stream.work.empty() && stream.context->lost == 0) {
    const std::function<Result()> next = std::move(stream.work.front());
    stream.work.pop_front();
    ++stream.finished;
    const Result result = next();
    if (result != device::cuda::success) stream.context->lost = result;
  }
  return stream.context->lost;
}

Result run_all(Context& context) {
  for (const std::unique_ptr<Stream>& stream : context.streams) run(*stream, std::numeric_limits<std::size_t>::max());
  return context.lost;
}

Result enqueue(Stream& stream, const Launch& launch) {
  State& now = state();
  const device::cuda::KernelShape& shape = *launch.function.shape;
  std::vector<void*> buffers;
  for (std::size_t i = 0; i < shape.buffers; ++i) {
    Address address = 0;
    std::memcpy(&address, launch.arguments[i], sizeof address);
    std::byte* const place = address == 0 ? nullptr : host_place(*stream.context, address, 0);
    if (address != 0 && place == nullptr) return illegal_address;
    buffers.push_back(place);
  }
  std::vector<std::byte> params(shape.params_bytes);
  std::memcpy(params.data(), launch.arguments[shape.buffers], params.size());
  const bool faults = ++now.launches == now.faulting_launch;
  stream.work.push_back(
      [launch, buffers, params, faults]() mutable { return faults ? illegal_address : run_groups(launch, buffers, params); });
  return device::cuda::success;
}

Result enqueue_native(Stream& stream, const Launch& launch) {
  State& now = state();
  const long violations = now.violations;
  std::function<void()> run = launch.function.native->prepare(*stream.context, launch.arguments, launch.x);
  if (now.violations != violations) return illegal_address;
  return enqueue_work(stream, std::move(run));
}

Result enqueue_work(Stream& stream, std::function<void()> run) {
  const bool faults = ++state().launches == state().faulting_launch;
  stream.work.push_back([run = std::move(run), faults] {
    if (faults) return illegal_address;
    run();
    return device::cuda::success;
  });
  return device::cuda::success;
}

}  // namespace ab::test::fake
