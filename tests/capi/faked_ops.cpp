// SPDX-License-Identifier: MIT
#include "faked_ops.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "device/registry.hpp"
#include "ops/complex_vectors.hpp"
#include "ops/context.hpp"
#include "ops/elementwise.hpp"
#include "ops/gemm.hpp"
#include "ops/host_memory.hpp"
#include "ops/rank_k.hpp"
#include "ops/solve.hpp"
#include "ops/triangular.hpp"

namespace ab::test {
namespace {

// What exists; also keeps in sight what a forked child must leave alone and LeakSanitizer would call lost.
std::mutex living_mutex;
std::set<const device::Memory*>& living() {
  static auto* const memories = new std::set<const device::Memory*>;
  return *memories;
}
std::atomic<int> run{0};

void throw_if(std::optional<Status> status, const char* text) {
  if (status) throw Error(*status, text);
}

class HostMemory final : public device::Memory {
 public:
  explicit HostMemory(std::size_t size) : words(size / sizeof(double), -77.0) {
    const std::lock_guard lock(living_mutex);
    living().insert(this);
  }
  ~HostMemory() override {
    const std::lock_guard lock(living_mutex);
    living().erase(this);
  }
  std::size_t bytes() const override { return words.size() * sizeof(double); }
  std::vector<double> words;
};

double* words_of(device::Slice slice) {
  return static_cast<HostMemory*>(slice.memory)->words.data() + slice.offset / sizeof(double);
}

std::mutex gathered_mutex;
std::condition_variable gathered_changed;
int gathered_wanted = 0, gathered = 0;

void gather() {
  std::unique_lock lock(gathered_mutex);
  if (gathered_wanted == 0) return;
  ++gathered;
  gathered_changed.notify_all();
  const bool all = gathered_changed.wait_for(lock, std::chrono::seconds(10), [] { return gathered >= gathered_wanted; });
  if (!all) throw Error(Status::KernelFailed, "the writes do not run at once");
}

class HostQueue final : public device::Queue {
 public:
  void write(device::Memory& to, std::size_t offset, std::span<const std::byte> from) override {
    throw_if(faults().write, "the transfer failed");
    gather();
    std::memcpy(reinterpret_cast<char*>(static_cast<HostMemory&>(to).words.data()) + offset, from.data(), from.size());
    ++run;
  }
  void read(const device::Memory& from, std::size_t offset, std::span<std::byte> to) override {
    std::memcpy(to.data(), reinterpret_cast<const char*>(static_cast<const HostMemory&>(from).words.data()) + offset, to.size());
    ++run;
  }
  void copy(const device::Slice& from, const device::Slice& to, std::size_t bytes) override {
    std::memcpy(words_of(to), words_of(from), bytes);
  }
  void launch(const device::Kernel&, device::Grid, std::span<const device::Argument>) override {}
  void finish() override {}
};

class FakeDevice final : public device::Device {
 public:
  explicit FakeDevice(device::Traits traits) : traits_(std::move(traits)) {}
  const device::Traits& traits() const override { return traits_; }
  std::unique_ptr<device::Memory> allocate(std::size_t bytes) override {
    throw_if(faults().allocate, "no device memory");
    return std::make_unique<HostMemory>(bytes);
  }
  std::unique_ptr<device::Memory> adopt(std::span<std::byte>) override { return nullptr; }
  std::unique_ptr<device::Kernel> load(const device::KernelName&) override { return nullptr; }
  std::unique_ptr<device::Queue> open_queue() override { return std::make_unique<HostQueue>(); }

 private:
  device::Traits traits_;
};

device::Traits traits(const char* id, const char* name) {
  device::Traits made;
  made.id = id;
  made.name = name;
  made.memory_bytes = std::uint64_t{1} << 30;
  made.max_buffer_bytes = largest_buffer_bytes;
  made.unified_memory = true;
  return made;
}

std::array<FakeDevice, 2>& devices() {
  static std::array<FakeDevice, 2> all = {FakeDevice(traits("cpu", "Faked CPU")), FakeDevice(traits("gpu:0", "Faked GPU"))};
  return all;
}

std::mutex streams_mutex;
std::map<std::uint64_t, HostQueue>& streams() {
  static auto* const queues = new std::map<std::uint64_t, HostQueue>;
  return *queues;
}

thread_local int current = 0;
bool initialized = false;

}  // namespace

namespace {
std::mutex held_mutex;
std::condition_variable held_changed;
bool held = false;

void set_held(bool value) {
  const std::lock_guard lock(held_mutex);
  held = value;
  held_changed.notify_all();
}
void wait_while_held() {
  std::unique_lock lock(held_mutex);
  held_changed.wait(lock, [] { return !held; });
}
}  // namespace

HeldProducts::HeldProducts() {
  set_held(true);
}
HeldProducts::~HeldProducts() {
  set_held(false);
}

GatheredWrites::GatheredWrites(int count) {
  const std::lock_guard lock(gathered_mutex);
  gathered_wanted = count;
  gathered = 0;
}
GatheredWrites::~GatheredWrites() {
  const std::lock_guard lock(gathered_mutex);
  gathered_wanted = 0;
}

Faults& faults() {
  static Faults instance;
  return instance;
}
int living_memories() {
  const std::lock_guard lock(living_mutex);
  return static_cast<int>(living().size());
}
int living_stream_queues() {
  const std::lock_guard lock(streams_mutex);
  return static_cast<int>(streams().size());
}
int operations_run() {
  return run;
}

}  // namespace ab::test

namespace ab::device {

int count() {
  return static_cast<int>(test::devices().size());
}
const Traits& traits_of(int index) {
  return test::devices()[static_cast<std::size_t>(index)].traits();
}
TrustState trust_of(int index) {
  if (index == 0) return {Trust::Untested, ""};
  return {Trust::Refused, std::string(300, 'r')};  // longer than the public field
}

}  // namespace ab::device

namespace ab::ops {

class Context {
 public:
  explicit Context(int number) : index(number) {}
  int index;
  test::HostQueue queue;
};

void initialize() {
  test::throw_if(test::faults().initialize, "the device asked for is absent");
  test::initialized = true;
}
void shutdown() {
  test::initialized = false;
}
bool is_initialized() {
  return test::initialized;
}
std::shared_ptr<Context> current_context() {
  initialize();
  return current_context_if_initialized();
}
std::shared_ptr<Context> current_context_if_initialized() {
  return test::initialized ? std::make_shared<Context>(test::current) : nullptr;
}
bool alive(const Context& context) {
  if (context.index == test::faults().lost_device) return false;
  return !(test::faults().forked_child && context.index == 1);
}
int current_device_index() {
  return test::current;
}
void select_device(int index) {
  test::current = index;
}
bool is_forked_child() {
  return test::faults().forked_child;
}
device::Device& device_of(Context& context) {
  return test::devices()[static_cast<std::size_t>(context.index)];
}
device::Queue& queue_of(Context& context) {
  return context.queue;
}
device::Queue& queue_of_stream(Context&, std::uint64_t stream) {
  const std::lock_guard lock(test::streams_mutex);
  return test::streams()[stream];
}
void close_stream(std::uint64_t stream) {
  const std::lock_guard lock(test::streams_mutex);
  test::streams().erase(stream);
}
int index_of(const Context& context) {
  return context.index;
}
std::unique_ptr<device::Memory> allocate(Context& context, std::size_t bytes) {
  return device_of(context).allocate(bytes);
}
void forget(Context&, std::uint64_t) {}
MemoryUse memory_use(const Context&) {
  return {};
}
DeviceUse device_use() {
  return {};
}

void combine(Context&, Elementwise operation, const ElementwiseCall& call) {
  test::throw_if(test::faults().combine, "the kernel failed");
  const double *x = test::words_of(call.a), *y = test::words_of(call.b);
  double* z = test::words_of(call.out);
  for (Index i = 0; i < call.count; ++i) {
    z[i] = operation == Elementwise::Add ? x[i] + y[i] : operation == Elementwise::Subtract ? x[i] - y[i] : call.alpha * x[i];
  }
  ++test::run;
}
void fill_zero(Context&, device::Slice out, Index count) {
  test::throw_if(test::faults().combine, "the kernel failed");
  std::fill_n(test::words_of(out), count, 0.0);
  ++test::run;
}
void copy(Context&, device::Slice from, device::Slice to, Index count) {
  test::throw_if(test::faults().combine, "the kernel failed");
  std::copy_n(test::words_of(from), count, test::words_of(to));
  ++test::run;
}

namespace {

Complex entry(const VectorView& view, Index v, Index k) {
  const Index at = v * view.vector_stride + k * view.inner_stride;
  const double im = view.part_count == 2 ? test::words_of(view.parts[1])[at] : 0.0;
  return {test::words_of(view.parts[0])[at], view.conjugate ? -im : im};
}

Complex dot(const Product& product, Index i, Index j) {
  Complex sum = 0;
  for (Index k = 0; k < product.left.inner; ++k) sum += entry(product.left, i, k) * entry(product.right, j, k);
  return sum;
}

}  // namespace

Outcome multiply(Context& context, const Product& product, const Choices& choices) {
  test::wait_while_held();
  if (test::faults().fail_next) throw Error(*std::exchange(test::faults().fail_next, std::nullopt), "the kernel failed");
  if (test::faults().fail_after-- <= 0) test::throw_if(test::faults().multiply_later, "the kernel failed");
  if (test::faults().host_memory_gone) throw std::bad_alloc();
  test::throw_if(test::faults().multiply, "the kernel failed");
  Outcome outcome;
  if (test::faults().decline) {
    outcome.declined = Decline{*test::faults().decline};
    return outcome;
  }
  for (Index i = 0; i < product.c.rows; ++i) {
    for (Index j = 0; j < product.c.columns; ++j) {
      Complex value = product.alpha == 0.0 ? Complex(0) : product.alpha.real() * dot(product, i, j);
      const Index at = i * product.c.row_stride + j * product.c.column_stride;
      double* re = test::words_of(product.c.parts[0]) + at;
      double* im = product.c.part_count == 2 ? test::words_of(product.c.parts[1]) + at : nullptr;
      if (product.beta != 0.0) value += product.beta.real() * Complex(*re, im ? *im : 0.0);
      *re = value.real();
      if (im) *im = value.imag();
    }
  }
  outcome.report.precision = choices.precision;
  outcome.report.scheme = product.alpha == 0.0 ? Scheme::Trivial : Scheme::CrtInt8;
  outcome.report.engine = Engine::Device;
  outcome.report.device = context.index;
  outcome.report.bound = 1.5;
  ++test::run;
  return outcome;
}

void conjugate(Context&, const ComplexVector&, Index) {}
void scale(Context&, Complex, const ComplexVector&, Index) {}
void add_scaled(Context&, Complex, const ComplexVector&, const ComplexVector&, Index) {}

Outcome multiply_hermitian(Context& context, const Product& product, const Choices& choices) {
  return multiply(context, product, choices);
}

namespace {

// As if it had made two products, and X were alpha B.
SeriesOutcome fake_solve(Context& context, const ResultView& x, double alpha, Precision precision) {
  test::throw_if(test::faults().multiply, "the kernel failed");
  if (test::faults().decline) return {Decline{*test::faults().decline}, {}};
  double* const words = test::words_of(x.parts[0]);
  for (Index i = 0; i < x.rows * x.columns; ++i) words[i] *= alpha;
  ++test::run;
  SeriesOutcome outcome;
  outcome.done.products = 2;
  outcome.done.report = {
      .precision = precision, .scheme = Scheme::CrtInt8, .engine = Engine::Device, .device = context.index, .bound = 2.5};
  return outcome;
}

}  // namespace

SeriesOutcome solve_triangular(Context& context, const TriangularSystem& system, Precision precision) {
  return fake_solve(context, system.x, system.alpha, precision);
}
SeriesOutcome solve_linear(Context& context, const LinearSystem& system, Precision precision) {
  test::throw_if(test::faults().singular, "A is exactly singular");
  return fake_solve(context, {.parts = {system.b, system.b}, .rows = system.n, .columns = system.sides}, 1.0, precision);
}

void register_host_memory(void*, std::size_t) {}
void unregister_host_memory(void*) {}

}  // namespace ab::ops
