// SPDX-License-Identifier: MIT
#include "blas/device_attempt.hpp"

#include <atomic>
#include <new>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/float_environment.hpp"
#include "core/settings.hpp"
#include "core/thread_state.hpp"
#include "device/registry.hpp"
#include "ops/level3.hpp"
#include "ops/split.hpp"
#include "report/statistics.hpp"

namespace ab::blas {
namespace {

constexpr int cpu_index = 0;      // the cpu device comes first in the list of devices
constexpr int most_failures = 3;  // in a row (spec 5.6)

constinit std::atomic<bool> given_up{false};
constinit std::atomic<int> failures_in_a_row{0};
constinit std::atomic<int> vendor_failures_in_a_row{0};  // of the device's own GEMM; a missing one has failed often enough

void give_up(const char* why) noexcept {
  if (given_up.exchange(true)) return;
  try {
    const std::string& asked = settings().device;
    const std::string subject = asked.empty() ? "the device" : "AB_DEVICE=\"" + asked + "\"";
    warn(subject + " is not used (" + why + "); BLAS calls stay on the host");
  } catch (...) {  // no memory for a warning
  }
}

enum class Presence { Unknown, Present, Missing };
constinit std::atomic<Presence> asked_device{Presence::Unknown};

bool asked_device_is_present(const std::string& id) {
  Presence presence = asked_device.load(std::memory_order_acquire);
  if (presence == Presence::Unknown) {
    presence = device::index_of_id(id) >= 0 ? Presence::Present : Presence::Missing;
    asked_device.store(presence, std::memory_order_release);
    if (presence == Presence::Missing) give_up("there is no such device here");
  }
  return presence == Presence::Present;
}

Reason reason_of(Status status) {
  switch (status) {
    case Status::AllocFailed:
      return Reason::AllocationFailed;
    case Status::NoDevice:
      return Reason::NoDevice;
    case Status::ShaderCompile:
      return Reason::KernelMissing;
    default:
      return Reason::DeviceError;
  }
}

Outcome declined(Reason reason) {
  return {Decline{reason}, {}};
}

/// Makes `cpu` the thread's device for the duration.
class OnCpu {
 public:
  explicit OnCpu(On where) : device_(thread_state().device), before_(device_) {
    if (where == On::Cpu) device_ = cpu_index;
  }
  ~OnCpu() { device_ = before_; }
  OnCpu(const OnCpu&) = delete;
  OnCpu& operator=(const OnCpu&) = delete;

 private:
  int& device_;
  int before_;
};

std::shared_ptr<ops::Context> open_context(On where, Outcome& outcome) {
  try {
    return ops::current_context();
  } catch (const Error& error) {
    outcome = declined(reason_of(error.status()));
    if (where == On::CurrentDevice && error.status() == Status::NoDevice) give_up(error.what());
    return nullptr;
  }
}

/// A device error; what it says of the device's future, if it is the one that calls are routed to.
Outcome failed(const Error& error, const ops::Context& context, On where) {
  Reason reason = reason_of(error.status());
  if (reason == Reason::NoDevice && ops::alive(context)) reason = Reason::DeviceLost;  // else closed by ab_shutdown in another thread
  if (where == On::CurrentDevice && reason == Reason::DeviceLost) give_up("it was lost");
  if (where == On::CurrentDevice && reason == Reason::DeviceError) {
    if (failures_in_a_row.fetch_add(1) + 1 >= most_failures) give_up("it failed three times in a row");
  }
  return declined(reason);
}

template <Scalar T>
void count(const GemmProblem<T>& problem, int device, std::uint64_t elapsed_ns) {
  constexpr double ns_per_ms = 1e6;
  constexpr Index word = sizeof(double);
  report::count_product(std::same_as<T, double> ? report::ProductKind::Real : report::ProductKind::Complex,
                        static_cast<double>(elapsed_ns) / ns_per_ms);
  const Traffic traffic = traffic_of(problem, device);
  if (traffic.bytes_in > 0) report::count_transfer(traffic.bytes_in / word, 0, report::Direction::Upload);
  if (traffic.bytes_out > 0) report::count_transfer(traffic.bytes_out / word, 0, report::Direction::Download);
}

// conj of real data is nothing: below here only its transposition is left.
GemmProblem<double> without_conjugation(GemmProblem<double> problem) {
  for (Op* op : {&problem.a.op, &problem.b.op}) {
    if (*op == Op::ConjugateTranspose) *op = Op::Transpose;
  }
  return problem;
}
const GemmProblem<Complex>& without_conjugation(const GemmProblem<Complex>& problem) {
  return problem;
}

void end_row(std::atomic<int>& failures) {
  if (failures.load(std::memory_order_relaxed) != 0) failures.store(0);
}

void note_vendor_failure(Reason reason) {
  if (reason == Reason::KernelMissing) vendor_failures_in_a_row.store(most_failures);
  if (reason == Reason::DeviceError) vendor_failures_in_a_row.fetch_add(1);
}

// On the device and the cpu device together. Whatever fails on the device is its failure, though the result is complete.
template <Scalar T>
Outcome attempt_split(const GemmProblem<T>& problem, const ops::Choices& choices, ops::Context& device) {
  const OnCpu current(On::Cpu);
  Outcome outcome;
  const std::shared_ptr<ops::Context> cpu = open_context(On::Cpu, outcome);
  if (cpu == nullptr) return outcome;
  const Index columns = ops::columns_of_share(choices.cpu_share, problem.n);
  ops::SplitOutcome split = ops::gemm_split(*cpu, device, problem, choices, columns);
  if (split.other_failed) split.other_declined = failed(*split.other_failed, device, On::CurrentDevice).declined;
  if (split.other_declined) split.outcome.report.fallback_reason = split.other_declined->reason;
  return split.outcome;
}

template <Scalar T>
Outcome compute(const GemmProblem<T>& problem, const ops::Choices& choices, ops::Context& context) {
  return choices.cpu_share > 0 ? attempt_split(problem, choices, context) : ops::compute(context, problem, choices);
}

template <Scalar T>
Outcome attempt(const GemmProblem<T>& problem, const ops::Choices& choices, On where) {
  const FloatEnvironment environment;  // around the opening too, whose self-test computes
  const OnCpu current(where);
  Outcome outcome;
  const std::shared_ptr<ops::Context> context = open_context(where, outcome);
  if (context == nullptr) return outcome;
  const bool by_vendor = choices.method == Method::Vendor;
  const std::uint64_t start_ns = monotonic_ns();
  try {
    outcome = compute(without_conjugation(problem), choices, *context);
  } catch (const Error& error) {
    outcome = failed(error, *context, where);
    if (by_vendor) note_vendor_failure(outcome.declined->reason);
    return outcome;
  }
  if (where == On::CurrentDevice) end_row(failures_in_a_row);
  if (by_vendor && !outcome.declined) end_row(vendor_failures_in_a_row);
  if (!outcome.declined) count(problem, outcome.report.device, monotonic_ns() - start_ns);
  return outcome;
}

// What the vendor's GEMM declines or fails to do, the class does.
template <Scalar T>
Outcome attempt_by_method(const GemmProblem<T>& problem, const ops::Choices& choices, On where) {
  const Outcome outcome = attempt(problem, choices, where);
  if (choices.method == Method::Class || !outcome.declined) return outcome;
  ops::Choices of_class = choices;
  of_class.method = Method::Class;
  Outcome by_class = attempt(problem, of_class, where);
  if (!by_class.declined) by_class.report.fallback_reason = outcome.declined->reason;
  return by_class;
}

}  // namespace

bool device_usable() noexcept {
  if (given_up.load(std::memory_order_relaxed)) return false;
  const std::string& asked = settings().device;
  if (asked.empty() || thread_state().device >= 0) return true;
  try {
    return asked_device_is_present(asked);
  } catch (...) {  // the list of devices cannot be made
    return false;
  }
}

bool vendor_gemm_usable() noexcept {
  return vendor_failures_in_a_row.load(std::memory_order_relaxed) < most_failures;
}

template <Scalar T>
Outcome try_on_device(const GemmProblem<T>& problem, const ops::Choices& choices, On where) noexcept {
  try {
    return attempt_by_method(problem, choices, where);
  } catch (const std::bad_alloc&) {
    return declined(Reason::AllocationFailed);
  } catch (...) {
    return declined(Reason::DeviceError);
  }
}

template <Scalar T>
Traffic traffic_of(const GemmProblem<T>& problem, int device) noexcept {
  if (device < 0 || device::traits_of(device).unified_memory) return {};
  const Index result = problem.m * problem.n;
  const bool one_operand = problem.a.data == problem.b.data && problem.triangle != Triangle::Full;  // of rank-k products
  const bool reads_c = problem.beta != T(0) && problem.operation != Operation::RankTwo;             // the host completes rank-2k updates
  const Index in = problem.m * problem.k + (one_operand ? 0 : problem.k * problem.n) + (reads_c ? result : 0);
  return {in * static_cast<Index>(sizeof(T)), result * static_cast<Index>(sizeof(T))};
}

template Outcome try_on_device(const GemmProblem<double>&, const ops::Choices&, On) noexcept;
template Outcome try_on_device(const GemmProblem<Complex>&, const ops::Choices&, On) noexcept;
template Traffic traffic_of(const GemmProblem<double>&, int) noexcept;
template Traffic traffic_of(const GemmProblem<Complex>&, int) noexcept;

}  // namespace ab::blas
