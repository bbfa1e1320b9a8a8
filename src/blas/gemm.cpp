// SPDX-License-Identifier: MIT
#include "blas/gemm.hpp"

#include <algorithm>

#include "blas/data_path.hpp"
#include "blas/device_attempt.hpp"
#include "blas/measurements.hpp"
#include "blas/plain_product.hpp"
#include "blas/trivial.hpp"
#include "core/arguments.hpp"
#include "core/clock.hpp"
#include "core/process.hpp"
#include "core/settings.hpp"
#include "core/thread_state.hpp"
#include "device/registry.hpp"
#include "host_blas/host_blas.hpp"
#include "report/recording.hpp"
#include "routing/router.hpp"

namespace ab::blas {
namespace {

// What a call finds: its thread, the settings, its class, and the BLAS behind us.
struct Surroundings {
  ThreadState& thread;
  const Settings& settings;
  Precision precision;
  const host_blas::Library* host;  // null: none

  /// May the host BLAS complete the call? Special data (NaN, Inf, a range without certificate) is no matter of class strict.
  bool host_may_serve(Reason decline) const {
    const bool special = decline == Reason::Nonfinite || decline == Reason::Range || decline == Reason::Uncertified;
    if (host == nullptr || settings.reproducible || precision == Precision::Exact) return false;
    return precision != Precision::Strict || special;
  }
};

host_blas::Interface interface_of(report::Api api) {
  return api == report::Api::Cblas ? host_blas::Interface::Cblas : host_blas::Interface::Fortran;
}

ProductReport host_report(Precision precision, Scheme scheme) {
  ProductReport report;
  report.precision = precision;
  report.scheme = scheme;
  report.engine = Engine::Host;
  return report;
}

template <Scalar T>
ProductReport run_on_host_blas(const GemmProblem<T>& problem, const Front& front, const Surroundings& around) {
  host_blas::gemm(*around.host, problem, interface_of(front.api), around.thread);
  return host_report(around.precision, Scheme::Vendor);
}

/// The host BLAS after a device has declined: a stage of the call.
template <Scalar T>
ProductReport help_out(const GemmProblem<T>& problem, const Front& front, const Surroundings& around) {
  CallWatch* const watch = around.thread.watch;
  const std::uint64_t start_ns = watch != nullptr ? monotonic_ns() : 0;
  const ProductReport report = run_on_host_blas(problem, front, around);
  if (watch != nullptr) watch->ended(Stage::Host, start_ns, monotonic_ns());
  return report;
}

/// The host side without a host BLAS that may serve: the cpu device, and plain loops when it has no memory left.
template <Scalar T>
ProductReport run_on_cpu(const GemmProblem<T>& problem, const Surroundings& around) {
  ops::Choices choices;
  choices.precision = around.precision;
  choices.may_exceed_cap = true;  // there is nowhere else to go
  const Outcome outcome = try_on_device(problem, choices, On::Cpu);
  if (!outcome.declined) return outcome.report;
  multiply_plainly(problem);
  return host_report(around.precision, Scheme::Ieee);
}

template <Scalar T>
ProductReport run_on_device(const GemmProblem<T>& problem, const Front& front, const Surroundings& around, double cpu_share) {
  ops::Choices choices;
  choices.precision = around.precision;
  choices.host_pack = around.settings.host_pack;
  choices.cpu_share = cpu_share;
  choices.may_decline = around.host_may_serve(Reason::Nonfinite);
  const Outcome outcome = try_on_device(problem, choices, On::CurrentDevice);
  if (!outcome.declined) return outcome.report;
  const Reason decline = outcome.declined->reason;
  ProductReport report = around.host_may_serve(decline) ? help_out(problem, front, around) : run_on_cpu(problem, around);
  report.fallback_reason = decline;
  return report;
}

bool is_disabled(const Settings& settings, const Routine& routine) {
  return std::find(settings.disabled.begin(), settings.disabled.end(), routine.name) != settings.disabled.end();
}

template <Scalar T>
routing::Route route_of(const GemmProblem<T>& problem, const Front& front, const Surroundings& around) {
  const routing::Request request{.routine = front.routine,
                                 .letters = {letter_of(problem.a.op), letter_of(problem.b.op)},
                                 .m = problem.m,
                                 .n = problem.n,
                                 .k = problem.k,
                                 .precision = around.precision,
                                 .path = path_of(problem),
                                 .divisible = true};
  const routing::State state{.disabled = !around.settings.disabled.empty() && is_disabled(around.settings, *front.routine),
                             .forked_child = is_forked_child(),
                             .device_usable = around.settings.mode == Mode::Cpu || device_usable(),
                             .host_blas_found = around.host != nullptr,
                             .reproducible = around.settings.reproducible,
                             .mode = around.settings.mode,
                             .min_gpu_dim = around.settings.min_gpu_dim,
                             .split = around.settings.split};
  return choose_route(request, state, surface_of_current_device);
}

void remember(ThreadState& thread, const ProductReport& report, Reason route) {
  thread.last_product = report;
  thread.last_product.route_reason = route;
  thread.any_blas_call = true;
  thread.last_path_was_gpu = report.engine != Engine::Host && report.device > 0;
}

/// Runs the call where the route says and remembers what ran.
template <Scalar T>
void perform(const GemmProblem<T>& problem, const Front& front, const Surroundings& around) {
  const routing::Route route = route_of(problem, front, around);
  ThreadState& thread = around.thread;
  if (route.engine != Engine::Host) return remember(thread, run_on_device(problem, front, around, route.split_share), route.reason);
  if (around.host_may_serve(Reason::None)) return remember(thread, run_on_host_blas(problem, front, around), route.reason);
  remember(thread, run_on_cpu(problem, around), route.reason);
}

template <Scalar T>
void complete(const GemmProblem<T>& problem, const Front& front, ThreadState& thread, const Settings& settings) {
  const Precision precision = thread.precision.value_or(settings.precision);
  if (!is_trivial(problem)) return perform(problem, front, {thread, settings, precision, host_blas::library()});
  finish_trivial(problem);
  ProductReport report = host_report(precision, Scheme::Trivial);
  report.bound = 0;
  remember(thread, report, Reason::QuickReturn);
}

template <Scalar T>
report::Call call_of(const GemmProblem<T>& problem, const Front& front, const ProductReport& product) {
  report::Call call;
  call.routine = front.routine->name.data();  // a literal, so it ends with a NUL
  call.api = front.api;
  call.complex = std::same_as<T, Complex>;
  call.letters = {letter_of(problem.a.op), letter_of(problem.b.op)};
  call.m = problem.m;
  call.n = problem.n;
  call.k = problem.k;
  call.lda = problem.a.ld;
  call.ldb = problem.b.ld;
  call.ldc = problem.c.ld;
  call.alpha = problem.alpha;
  call.beta = problem.beta;
  call.product = product;
  if (front.order == Order::RowMajor) {
    std::swap(call.letters[0], call.letters[1]);
    std::swap(call.m, call.n);
    std::swap(call.lda, call.ldb);
  }
  if (product.device >= 0) call.device = device::traits_of(product.device).id;
  return call;
}

template <Scalar T>
void record(const GemmProblem<T>& problem, const Front& front, ThreadState& thread, const Settings& settings) {
  report::set_facts_source(process_facts);
  report::Recording recording;
  complete(problem, front, thread, settings);
  recording.end(call_of(problem, front, thread.last_product));
}

}  // namespace

template <Scalar T>
void run_gemm(const GemmProblem<T>& problem, const Front& front) noexcept {
  ThreadState& thread = thread_state();
  if (thread.inside_host_blas) [[unlikely]] {  // reason `reentry`: it belongs to the call that led to it, and goes straight on
    return host_blas::gemm(*host_blas::library(), problem, interface_of(front.api), thread);
  }
  const Settings& chosen = settings();
  if (report::recording(chosen)) return record(problem, front, thread, chosen);
  complete(problem, front, thread, chosen);
}

template void run_gemm(const GemmProblem<double>&, const Front&) noexcept;
template void run_gemm(const GemmProblem<Complex>&, const Front&) noexcept;

}  // namespace ab::blas
