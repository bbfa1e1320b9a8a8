// SPDX-License-Identifier: MIT
// What the fake driver knows: contexts with their memory, streams with work that waits, and what it is told to do wrong.
#pragma once
#include <cstdlib>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/cpu/kernel_table.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/kernel_image.hpp"
#include "sim/cuda/fake_control.hpp"

namespace ab::test::fake {

using device::cuda::Address;
using device::cuda::Result;

inline constexpr Result invalid_value = 1, not_initialized = 3, no_device = 100, invalid_device = 101, invalid_image = 200,
                        invalid_context = 201, invalid_handle = 400, not_found = 500, illegal_address = 700;

struct Buffer {
  std::size_t bytes = 0;
  std::vector<std::byte> guarded;  // margins around what was asked for
};

struct Stream;
struct Context {
  int device = 0;
  long retained = 0;
  Result lost = 0;
  std::map<Address, Buffer> buffers;
  std::map<void*, std::size_t> mapped;  // pages of the host that kernels may read
  std::size_t used_bytes = 0;
  std::vector<std::unique_ptr<Stream>> streams;
};

struct Stream {
  Context* context;
  std::deque<std::function<Result()>> work;
  std::size_t finished = 0;  // pieces of work since the stream began
};

struct Event {
  Context* context;
  Stream* stream = nullptr;
  std::size_t behind = 0;  // complete when the stream has finished so many
};

struct NativeFunction;
struct Function {  // a common kernel or a native one
  const kernels::HostKernel* kernel;
  const device::cuda::KernelShape* shape;
  const NativeFunction* native = nullptr;
  int allowed_shared_bytes = 48 * 1024;
};

struct Module {
  Context* context;
  bool native = false;
  std::vector<std::unique_ptr<Function>> functions;
};

struct State {
  std::mutex mutex;
  std::vector<std::unique_ptr<Context>> devices;
  std::map<void*, std::size_t> pinned;
  std::map<void*, std::size_t> registered;  // pages that the program pinned
  std::vector<std::unique_ptr<Event>> events;
  std::vector<std::unique_ptr<Module>> modules;
  std::size_t memory_limit = std::size_t{1} << 30;
  int process = 0;  // that called cuInit
  long calls = 0, failing_call = 0, launches = 0, faulting_launch = 0, violations = 0;
  Result failure = 0;
  FakeFailures failures = FakeFailures::One;
  std::string first_violation;
};

State& state();

using Body = std::function<Result(State&)>;
/// One driver call: under the lock, counted, and failed when its turn has come.
Result call(const Body& body);
/// A call that gives something back: it does so even when it then says that it failed.
Result releasing_call(const Body& body);
/// A call that works on lost contexts too: it fails in its turn only, not from there on.
Result pushing_call(const Body& body);
/// A call that needs a current context, which is not lost.
Result call_in_context(const std::function<Result(State&, Context&)>& body);

Result violation(const std::string& what, Result result);

/// The contexts that the calling thread has pushed. Nothing to destroy: a thread's own objects go before the process' statics at exit, and
/// those may still call the driver.
class ContextStack {
 public:
  bool empty() const { return count_ == 0; }
  Context* back() const { return contexts_[count_ - 1]; }
  void push_back(Context* context) {
    if (count_ == std::size(contexts_)) std::abort();  // a test that forgets to pop
    contexts_[count_++] = context;
  }
  void pop_back() { --count_; }

 private:
  Context* contexts_[64] = {};
  std::size_t count_ = 0;
};
ContextStack& context_stack();

/// The host's place of device memory; null, and a violation, when [address, address + bytes) is no memory of the context.
std::byte* host_place(Context& context, Address address, std::size_t bytes);
Result allocate(Context& context, Address* address, std::size_t bytes);
Result release(Context& context, Address address);
Result register_host(State& now, void* data, std::size_t bytes, unsigned flags);
Address map_host(Context& context, void* data, std::size_t bytes);
bool is_pinned(const void* data, std::size_t bytes);

Result run(Stream& stream, std::size_t until);
Result run_all(Context& context);
/// See FakeControl. False: the others did not come.
void gather_streams(int count);
bool is_gathered(const Stream& stream);

struct Launch {
  const Function& function;
  unsigned x, y, z;
  void** arguments;
};
Result enqueue(Stream& stream, const Launch& launch);
Result enqueue_native(Stream& stream, const Launch& launch);
Result enqueue_work(Stream& stream, std::function<void()> run);  // counted as a launch
int run_for_library(const FakeLaunch& launch);

}  // namespace ab::test::fake
