// SPDX-License-Identifier: MIT
#include "ops/gemm.hpp"

#include "core/error.hpp"
#include "ops/cap_share.hpp"
#include "ops/decision.hpp"
#include "ops/gemm_steps.hpp"
#include "ops/host_pack.hpp"
#include "ops/staging.hpp"
#include "ops/timed.hpp"

namespace ab::ops {
namespace {

Outcome trivial(Context& context, const Product& product, const Choices& choices, ProductReport report) {
  if (product.beta != Complex(1, 0)) scale_result(context, product, choices);
  report.scheme = Scheme::Trivial;
  report.bound = 0;
  return {std::nullopt, report};
}

// Whether products on the device could be packed elsewhere: it is not the CPU, and reads the layout of the common kernels.
bool reads_packed(const device::Traits& traits) {
  return !traits.unified_memory && traits.vector_unit == 1 && traits.plane_padding_bytes == 0;
}

Outcome checked(Context& context, const Product& product, const Choices& choices) {
  const ProductReport report = report_of(context, choices);
  // The kernels sum 64 terms in FP32: exact for residues of ten bits, not of eleven.
  if (choices.family == ModuliFamily::Eleven) return {Decline{Reason::KernelMissing}, report};
  if (!is_countable(product)) return {Decline{Reason::SizeLimit}, report};
  if (is_trivial(product)) return trivial(context, product, in_buffers_of(context, choices), report);
  if (!can_sum(choices.multiplier != nullptr ? *choices.multiplier : context, product)) return {Decline{Reason::SizeLimit}, report};
  if (choices.method == Method::Vendor) return multiply_by_vendor(context, product, in_buffers_of(context, choices));
  return carry_out(context, product, decide(context, product, choices), choices);
}

}  // namespace

Outcome multiply(Context& context, const Product& product, const Choices& choices) {
  const CapShare share(context, choices, need_of(context, choices, extent_of(product)));
  const Choices chosen = settled(context, share.within(choices));
  try {
    return checked(context, product, chosen);
  } catch (const OverCap&) {
    return {Decline{Reason::MemoryCap}, report_of(context, chosen)};
  } catch (...) {  // a device that fails late may have prepared nothing of what is kept
    context.prepared().clear();
    throw;
  }
}

template <Scalar T>
Outcome gemm(Context& context, const GemmProblem<T>& problem, const Choices& choices) {
  const bool host_pack = choices.host_pack && choices.method == Method::Class;
  if (host_pack && reads_packed(context.device().traits())) return gemm_with_host_pack(context, problem, choices);
  const CapShare share(context, choices, need_with_copies(context, choices, extent_of(problem)));
  Staged<T> staged(context, problem, settled(context, share.within(choices)));
  Outcome outcome = multiply(context, staged.product(), staged.choices());
  if (!outcome.declined) timed(context, Stage::Fetch, [&] { staged.fetch(); });
  return outcome;
}

template Outcome gemm(Context&, const GemmProblem<double>&, const Choices&);
template Outcome gemm(Context&, const GemmProblem<Complex>&, const Choices&);

}  // namespace ab::ops
