// SPDX-License-Identifier: MIT
#include "blas/gemm.hpp"

#include <algorithm>
#include <array>

#include "blas/data_path.hpp"
#include "blas/device_attempt.hpp"
#include "blas/measurements.hpp"
#include "blas/plain.hpp"
#include "blas/problems.hpp"
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

host_blas::Convention convention_of(const Front& front) {
  return {front.api == report::Api::Cblas ? host_blas::Interface::Cblas : host_blas::Interface::Fortran, front.integers};
}

/// The host BLAS, if it can complete the problem.
template <Scalar T>
const host_blas::Library* host_for(const GemmProblem<T>& problem, const Front& front) {
  const host_blas::Library* host = host_blas::library();
  return host != nullptr && host_blas::serves(*host, *front.routine, problem, convention_of(front)) ? host : nullptr;
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
  host_blas::call(*around.host, *front.routine, problem, convention_of(front), around.thread);
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
  compute_plainly(problem);
  return host_report(around.precision, Scheme::Ieee);
}

template <Scalar T>
ProductReport run_on_device(const GemmProblem<T>& problem, const Front& front, const Surroundings& around, const routing::Route& route) {
  ops::Choices choices;
  choices.precision = around.precision;
  choices.method = route.method;
  choices.host_pack = around.settings.host_pack;
  choices.cpu_share = route.split_share;
  choices.may_decline = around.host_may_serve(Reason::Nonfinite);
  const Outcome outcome = try_on_device(problem, choices, On::CurrentDevice);
  if (!outcome.declined) return outcome.report;
  const Reason decline = outcome.declined->reason;
  ProductReport report = around.host_may_serve(decline) ? help_out(problem, front, around) : run_on_cpu(problem, around);
  report.fallback_reason = decline;
  return report;
}

[[gnu::cold]] bool is_disabled(const Settings& settings, const Routine& routine) {
  return std::find(settings.disabled.begin(), settings.disabled.end(), routine.name) != settings.disabled.end();
}

// The two letters that tell a routine's variants apart in routing tables.
template <Scalar T>
std::array<char, 2> table_letters(const Routine& routine, const GemmProblem<T>& problem) {
  const Variants variants = variants_of(routine);
  if (variants == Variants::Transposes) return {letter_of(problem.a.op), letter_of(problem.b.op)};
  const Arguments x = arguments_of(routine, problem);
  if (variants == Variants::SideAndTriangle) return {letter_of(*x.side), letter_of(*x.uplo)};
  return {letter_of(*x.uplo), letter_of(*x.op_a)};
}

template <Scalar T>
routing::Route route_of(const GemmProblem<T>& problem, const Front& front, const Surroundings& around) {
  const routing::Request request{.routine = front.routine,
                                 .letters = table_letters(*front.routine, problem),
                                 .m = problem.m,
                                 .n = problem.n,
                                 .k = problem.operation == Operation::RankTwo ? 2 * problem.k : problem.k,
                                 .precision = around.precision,
                                 .path = path_of(problem),
                                 .plain_product = front.routine->family == Family::Gemm};
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

bool is_gpu(const ProductReport& report) {
  return report.engine != Engine::Host && report.device > 0;
}

void remember(ThreadState& thread, const ProductReport& report, Reason route) {
  thread.last_product = report;
  thread.last_product.route_reason = route;
  thread.any_blas_call = true;
  thread.last_path_was_gpu = is_gpu(report);
}

/// Runs the call where the route says and remembers what ran.
template <Scalar T>
void perform(const GemmProblem<T>& problem, const Front& front, const Surroundings& around) {
  const routing::Route route = route_of(problem, front, around);
  ThreadState& thread = around.thread;
  if (route.engine != Engine::Host) return remember(thread, run_on_device(problem, front, around, route), route.reason);
  if (around.host_may_serve(Reason::None)) return remember(thread, run_on_host_blas(problem, front, around), route.reason);
  remember(thread, run_on_cpu(problem, around), route.reason);
}

template <Scalar T>
void perform(const GemmBatch<T>& batch, const Front& front, const Surroundings& around) {
  const routing::Route route = route_of(batch.first, front, around);
  const bool on_device = route.engine == Engine::Device;
  if (!on_device && around.host_may_serve(Reason::None)) {
    host_blas::call(*around.host, *front.routine, batch, convention_of(front), around.thread);
    return remember(around.thread, host_report(around.precision, Scheme::Vendor), route.reason);
  }
  ProductReport all;
  bool any_on_gpu = false;
  for (Index i = 0; i < batch.count; ++i) {
    const GemmProblem<T> product = batch.product(i);
    const ProductReport report = on_device ? run_on_device(product, front, around, route) : run_on_cpu(product, around);
    any_on_gpu = any_on_gpu || is_gpu(report);
    all = merged(all, report);
  }
  remember(around.thread, all, route.reason);
  around.thread.last_path_was_gpu = any_on_gpu;
}

/// A call that reads neither A nor B.
template <Scalar T>
bool is_quick_return(const GemmProblem<T>& problem) {
  return is_trivial(problem);
}
template <Scalar T>
bool is_quick_return(const GemmBatch<T>& batch) {
  return batch.count == 0 || is_trivial(batch.first);
}
template <Scalar T>
void finish_quickly(const GemmProblem<T>& problem) {
  finish_trivial(problem);
}
template <Scalar T>
void finish_quickly(const GemmBatch<T>& batch) {
  for (Index i = 0; i < batch.count; ++i) finish_trivial(batch.product(i));
}

// A call is a problem or a group of a batch; the latter's problems are alike.
template <Scalar T>
const GemmProblem<T>& shape_of(const GemmProblem<T>& problem) {
  return problem;
}
template <Scalar T>
const GemmProblem<T>& shape_of(const GemmBatch<T>& batch) {
  return batch.first;
}
template <Scalar T>
Index products_of(const GemmProblem<T>&) {
  return 1;
}
template <Scalar T>
Index products_of(const GemmBatch<T>& batch) {
  return batch.count;
}

template <class Call>
void complete(const Call& call, const Front& front, ThreadState& thread, const Settings& settings) {
  const Precision precision = thread.precision.value_or(settings.precision);
  if (!is_quick_return(call)) return perform(call, front, {thread, settings, precision, host_for(shape_of(call), front)});
  finish_quickly(call);
  ProductReport report = host_report(precision, Scheme::Trivial);
  report.bound = 0;
  remember(thread, report, Reason::QuickReturn);
}

report::Letters letters_of(const Routine& routine, const Arguments& x) {
  switch (variants_of(routine)) {
    case Variants::TriangleAndTranspose:
      return {.uplo = letter_of(*x.uplo), .trans = letter_of(*x.op_a)};
    case Variants::SideAndTriangle:
      if (routine.family == Family::Symmetric) return {.side = letter_of(*x.side), .uplo = letter_of(*x.uplo)};
      return {.side = letter_of(*x.side), .uplo = letter_of(*x.uplo), .trans = letter_of(*x.op_a), .diag = letter_of(*x.diag)};
    default:
      return {.uplo = routine.family == Family::Gemmt ? letter_of(*x.uplo) : '\0', .ta = letter_of(*x.op_a), .tb = letter_of(*x.op_b)};
  }
}

template <Scalar T>
report::Call call_of(const GemmProblem<T>& problem, const Front& front, const ProductReport& product) {
  Arguments x = arguments_of(*front.routine, problem);
  if (front.order == Order::RowMajor) x = exchanged(*front.routine, x);
  report::Call call;
  call.routine = front.routine->name.data();  // a literal, so it ends with a NUL
  call.api = front.api;
  call.complex = std::same_as<T, Complex>;
  call.letters = letters_of(*front.routine, x);
  call.m = x.m, call.n = x.n, call.k = x.k;
  call.lda = x.lda, call.ldb = x.ldb, call.ldc = x.ldc;
  call.alpha = problem.alpha;
  if (front.order == Order::RowMajor && problem.hermitian && problem.operation == Operation::RankTwo) call.alpha = std::conj(call.alpha);
  call.beta = problem.beta;
  call.product = product;
  if (product.device >= 0) call.device = device::traits_of(product.device).id;
  return call;
}

template <class Call>
[[gnu::cold]] void record(const Call& call, const Front& front, ThreadState& thread, const Settings& settings) {
  report::set_facts_source(process_facts);
  report::Recording recording;
  complete(call, front, thread, settings);
  report::Call recorded = call_of(shape_of(call), front, thread.last_product);
  recorded.products = products_of(call);
  recording.end(recorded);
}

template <class Call>
[[gnu::always_inline]] inline void run(const Call& call, const Front& front) {
  ThreadState& thread = thread_state();
  if (thread.inside_host_blas) [[unlikely]] {  // reason `reentry`: it belongs to the call that led to it, and goes straight on
    if (const host_blas::Library* host = host_for(shape_of(call), front)) {
      return host_blas::call(*host, *front.routine, call, convention_of(front), thread);
    }
  }
  const Settings& chosen = settings();
  if (report::recording(chosen)) return record(call, front, thread, chosen);
  complete(call, front, thread, chosen);
}

}  // namespace

template <Scalar T>
void run_gemm(const GemmProblem<T>& problem, const Front& front) noexcept {
  run(problem, front);
}
template <Scalar T>
void run_gemm_batch(const GemmBatch<T>& batch, const Front& front) noexcept {
  run(batch, front);
}

template void run_gemm(const GemmProblem<double>&, const Front&) noexcept;
template void run_gemm(const GemmProblem<Complex>&, const Front&) noexcept;
template void run_gemm_batch(const GemmBatch<double>&, const Front&) noexcept;
template void run_gemm_batch(const GemmBatch<Complex>&, const Front&) noexcept;

}  // namespace ab::blas
