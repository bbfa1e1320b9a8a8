// SPDX-License-Identifier: MIT
#include "blas/faked_layers.hpp"

#include <new>
#include <utility>

#include "core/process.hpp"
#include "core/thread_state.hpp"
#include "device/registry.hpp"

namespace ab::ops {

class Context {
 public:
  explicit Context(int index) : index_(index) {}
  int index() const { return index_; }

 private:
  int index_;
};

}  // namespace ab::ops

namespace ab::test {
namespace {

Faked the_fakes;
host_blas::Library the_library;
bool initialized = false;

template <Scalar T>
void fill(const GemmProblem<T>& problem, double value) {
  for (Index j = 0; j < problem.n; ++j) {
    const auto [first, last] = rows_in(problem.triangle, j, problem.m);
    for (Index i = first; i < last; ++i) problem.c.data[i + j * problem.c.ld] = T(value);
  }
}

}  // namespace

Faked& faked() {
  return the_fakes;
}

void reset() {
  the_fakes = {};
  the_library.file = "libfaked.so";
  thread_state() = {};
}

}  // namespace ab::test

namespace ab {

using test::faked;

const Settings& settings() noexcept {
  return faked().settings;
}
Settings settings_for_exit() {
  return faked().settings;
}
void warn(const std::string& text) {
  faked().warnings.push_back(text);
}

namespace host_blas {

const Library* library() noexcept {
  return faked().has_host_blas ? &test::the_library : nullptr;
}

template <Scalar T>
bool serves(const Library&, const Routine& routine, const GemmProblem<T>&, Convention) noexcept {
  return routine.name != faked().host_lacks;
}

template <Scalar T>
void call(const Library&, const Routine& routine, const GemmProblem<T>& problem, Convention convention, ThreadState& thread) noexcept {
  ++faked().host_calls;
  faked().host_interface = convention.interface;
  faked().host_integers = convention.integers;
  faked().host_routine = routine.name;
  test::fill(problem, test::by_host);
  if (!faked().in_host_blas) return;
  const std::function<void()> body = std::exchange(faked().in_host_blas, nullptr);
  const bool before = std::exchange(thread.inside_host_blas, true);
  body();
  thread.inside_host_blas = before;
}
template <Scalar T>
void call(const Library& library, const Routine& routine, const GemmBatch<T>& batch, Convention convention, ThreadState& thread) noexcept {
  for (Index i = 0; i < batch.count; ++i) call(library, routine, batch.product(i), convention, thread);
}
template bool serves(const Library&, const Routine&, const GemmProblem<double>&, Convention) noexcept;
template bool serves(const Library&, const Routine&, const GemmProblem<Complex>&, Convention) noexcept;
template void call(const Library&, const Routine&, const GemmProblem<double>&, Convention, ThreadState&) noexcept;
template void call(const Library&, const Routine&, const GemmProblem<Complex>&, Convention, ThreadState&) noexcept;
template void call(const Library&, const Routine&, const GemmBatch<double>&, Convention, ThreadState&) noexcept;
template void call(const Library&, const Routine&, const GemmBatch<Complex>&, Convention, ThreadState&) noexcept;

}  // namespace host_blas

namespace device {

int count() {
  return static_cast<int>(faked().devices.size());
}
const Traits& cpu_traits() {
  return traits_of(0);
}
const Traits& traits_of(int index) {
  static Traits traits[2];
  Traits& wanted = traits[index];
  wanted.id = faked().devices[static_cast<std::size_t>(index)];
  wanted.name = index == 0 ? "A CPU" : "A GPU";
  wanted.table_kind = index == 0 ? faked().cpu_kind : "";
  wanted.unified_memory = index == 0;
  wanted.fp64_product = index == 1;
  return wanted;
}
int index_of_id(const std::string& id) {
  for (int i = 0; i < count(); ++i) {
    if (faked().devices[static_cast<std::size_t>(i)] == id) return i;
  }
  return -1;
}

}  // namespace device

namespace ops {

int current_device_index() {
  ++faked().asked_for_device;
  return thread_state().device >= 0 ? thread_state().device : faked().default_device;
}
bool alive(const Context&) {
  return !faked().context_is_dead;
}

std::shared_ptr<Context> current_context() {
  const int index = current_device_index();
  if (index != 0 && faked().opening_fails) throw Error(*faked().opening_fails, "faked: cannot be opened");
  test::initialized = true;
  return std::make_shared<Context>(index);
}
std::shared_ptr<Context> current_context_if_initialized() {
  return test::initialized ? current_context() : nullptr;
}

device::Device& device_of(Context& context) {
  class FakedDevice : public device::Device {
   public:
    const device::Traits& traits() const override { return device::traits_of(index); }
    std::unique_ptr<device::Memory> allocate(std::size_t) override { return nullptr; }
    std::unique_ptr<device::Memory> adopt(std::span<std::byte>) override { return nullptr; }
    std::unique_ptr<device::Kernel> load(const device::KernelName&) override { return nullptr; }
    std::unique_ptr<device::Queue> open_queue() override { return nullptr; }
    int index = 0;
  };
  static FakedDevice device;
  device.index = context.index();
  return device;
}
DeviceUse device_use() {
  if (!test::initialized) return {};
  return {.device = test::faked().default_device, .refusal = "", .cap_bytes = 7 << 20, .peak_bytes = 5 << 20};
}

template <Scalar T>
Outcome compute(Context& context, const GemmProblem<T>& problem, const Choices& choices) {
  const bool cpu = context.index() == 0;
  faked().device_calls.push_back(context.index());
  faked().last_choices = choices;
  faked().last_ops = {problem.a.op, problem.b.op};
  if (faked().host_memory_gone) throw std::bad_alloc();
  if (const auto status = cpu ? faked().cpu_fails : faked().gpu_fails) throw Error(*status, "faked failure");
  const bool by_vendor = choices.method == Method::Vendor;
  if (by_vendor && faked().vendor_fails) throw Error(*faked().vendor_fails, "faked failure");
  if (const auto reason = cpu ? faked().cpu_declines : faked().gpu_declines) return {Decline{*reason}, {}};
  test::fill(problem, cpu ? test::by_cpu : test::by_gpu);
  ProductReport report;
  report.precision = choices.precision;
  report.scheme = by_vendor ? Scheme::Vendor : Scheme::CrtInt8;
  report.engine = Engine::Device;
  report.device = context.index();
  report.moduli = by_vendor ? 0 : 14;
  return {std::nullopt, report};
}
template Outcome compute(Context&, const GemmProblem<double>&, const Choices&);
template Outcome compute(Context&, const GemmProblem<Complex>&, const Choices&);

bool any_registered() noexcept {
  return faked().registered.data() != nullptr;
}
RegisteredSpan::~RegisteredSpan() = default;
std::optional<RegisteredSpan> find_registered(std::span<const std::byte> span) {
  const std::span<const std::byte> all = faked().registered;
  static_assert(alignof(int) > 1);
  static int place;  // what it is of is never looked at
  const bool inside = span.data() >= all.data() && span.data() + span.size() <= all.data() + all.size();
  return inside ? std::optional<RegisteredSpan>(RegisteredSpan(reinterpret_cast<RegisteredRange&>(place), 0)) : std::nullopt;
}

Index columns_of_share(double share, Index columns) {
  faked().last_share = share;
  return columns / 2;
}

template <Scalar T>
SplitOutcome gemm_split(Context& cpu, Context& other, const GemmProblem<T>& problem, const Choices& choices, Index) {
  faked().split_devices = {cpu.index(), other.index()};
  SplitOutcome split;
  if (faked().gpu_fails) {
    split.other_failed = Error(*faked().gpu_fails, "faked failure");
    split.other_declined = Decline{Reason::DeviceError};
  }
  test::fill(problem, faked().gpu_fails ? test::by_cpu : test::by_both);
  split.outcome.report.precision = choices.precision;
  split.outcome.report.scheme = Scheme::CrtInt8;
  split.outcome.report.engine = faked().gpu_fails ? Engine::Device : Engine::Split;
  split.outcome.report.device = faked().gpu_fails ? cpu.index() : other.index();
  return split;
}
template SplitOutcome gemm_split(Context&, Context&, const GemmProblem<double>&, const Choices&, Index);
template SplitOutcome gemm_split(Context&, Context&, const GemmProblem<Complex>&, const Choices&, Index);

}  // namespace ops
}  // namespace ab
