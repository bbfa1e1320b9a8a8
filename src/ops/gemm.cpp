// SPDX-License-Identifier: MIT
#include "ops/gemm.hpp"

#include "core/error.hpp"
#include "numerics/moduli.hpp"
#include "numerics/plan.hpp"
#include "ops/gemm_steps.hpp"
#include "ops/staging.hpp"
#include "ops/timed.hpp"

namespace ab::ops {
namespace {

constexpr Index longest_inner = INT32_MAX;  // beyond it the IEEE path (docs/numerics.md 1)

// Kernels number vectors, terms and groups of 64 entries in 32 bits; some devices count to 65535 in each direction of a grid.
bool is_countable(const Product& product) {
  constexpr Index most_vectors = INT32_MAX, most_terms = UINT32_MAX, most_groups = Index{65535} * AB_FOLD;
  return product.c.rows <= most_vectors && product.c.columns <= most_vectors && product.left.inner <= most_terms &&
         groups_for(product.c.rows, 64) * product.c.columns <= most_groups;
}

bool is_trivial(const Product& product) {
  return product.alpha == Complex(0, 0) || product.left.inner == 0;
}

Outcome trivial(Context& context, const Product& product, ProductReport report) {
  if (product.beta != Complex(1, 0)) scale_result(context, product);
  report.scheme = Scheme::Trivial;
  report.bound = 0;
  return {std::nullopt, report};
}

enum class Data { Finite, Special };

// What a class cannot serve: a decline where a host BLAS may take over, else FP64 inner products on the device.
Outcome take_ieee_path(Context& context, const Product& product, const Choices& choices, ProductReport report, Data data) {
  if (choices.may_decline) return {Decline{report.fallback_reason}, report};
  timed(context, Stage::Multiply, [&] { multiply_ieee(context, product); });
  report.scheme = Scheme::Ieee;
  report.guard = data == Data::Finite ? 4 : -1;
  report.bound = data == Data::Finite ? static_cast<double>(product.left.inner) * product.left.part_count : -1;
  return {std::nullopt, report};
}

Scheme scheme_of(ModuliFamily family) {
  switch (family) {
    case ModuliFamily::Int8:
      return Scheme::CrtInt8;
    case ModuliFamily::Ten:
      return Scheme::Crt10Bit;
    default:
      return Scheme::Crt11Bit;
  }
}

Outcome double_float(Context& context, const Product& product, const Scans& scans, const Choices& choices, ProductReport report) {
  const std::optional<int> form =
      numerics::double_float_form(scans.left->records, scans.right->records, product.left.part_count, product.left.inner);
  if (!form) {
    report.fallback_reason = Reason::Range;
    return take_ieee_path(context, product, choices, report, Data::Finite);
  }
  multiply_dd(context, product, *form, scans, choices);
  report.scheme = Scheme::DoubleFloat;
  report.guard = 4;
  report.complex_form = *form == 1 ? 0 : *form;
  report.bound = numerics::double_float_bound(*form, product.left.inner);
  return {std::nullopt, report};
}

Outcome crt(Context& context, const Product& product, const Scans& scans, const Choices& choices, ProductReport report) {
  const std::optional<CrtPlan> plan = plan_crt(context, product, choices.precision, scans);
  if (!plan) {
    report.fallback_reason = Reason::Uncertified;
    return take_ieee_path(context, product, choices, report, Data::Finite);
  }
  multiply_crt(context, product, *plan, choices);
  report.scheme = scheme_of(*choices.family);
  report.guard = plan->rung.level;
  report.escalations = plan->escalations;
  report.moduli = numerics::moduli(*choices.family, numerics::ladder[static_cast<std::size_t>(plan->rung.index)]).count;
  report.complex_form = product.left.part_count == 1 ? 0 : plan->split ? 4 : 3;
  report.bound = static_cast<double>(plan->rung.bound) / 1024;
  return {std::nullopt, report};
}

Outcome by_class(Context& context, const Product& product, const Choices& choices, ProductReport report) {
  if (product.left.inner > longest_inner) {
    report.fallback_reason = Reason::SizeLimit;
    return take_ieee_path(context, product, choices, report, Data::Special);
  }
  const Scans scans = scan_both(context, product, OperandForm::Whole);
  if (!all_finite(*scans.left) || !all_finite(*scans.right)) {
    report.fallback_reason = Reason::Nonfinite;
    return take_ieee_path(context, product, choices, report, Data::Special);
  }
  if (choices.precision == Precision::DoubleFloat) return double_float(context, product, scans, choices, report);
  return crt(context, product, scans, choices, report);
}

// A product's working memory in pieces that a device has in one: under a cap no larger than the largest buffer none is larger.
Choices in_buffers_of(Context& context, Choices choices) {
  const std::uint64_t most = context.device().traits().max_buffer_bytes;
  if (static_cast<std::uint64_t>(choices.cap_bytes) > most) choices.cap_bytes = static_cast<Index>(most);
  return choices;
}

// Choices with everything decided.
Choices settled(Context& context, Choices choices) {
  if (!choices.family) choices.family = context.device().traits().family;
  if (choices.cap_bytes < 0) choices.cap_bytes = static_cast<Index>(context.cap_bytes());
  return choices;
}

}  // namespace

Outcome multiply(Context& context, const Product& product, const Choices& choices) {
  ProductReport report;
  report.precision = choices.precision;
  report.engine = Engine::Device;
  report.device = context.index();
  // The kernels sum 64 terms in FP32: exact for residues of ten bits, not of eleven.
  if (choices.family == ModuliFamily::Eleven) return {Decline{Reason::KernelMissing}, report};
  if (!is_countable(product)) return {Decline{Reason::SizeLimit}, report};
  if (product.c.rows == 0 || product.c.columns == 0 || is_trivial(product)) return trivial(context, product, report);
  try {
    return by_class(context, product, in_buffers_of(context, settled(context, choices)), report);
  } catch (const OverCap&) {
    return {Decline{Reason::MemoryCap}, report};
  } catch (...) {  // a device that fails late may have prepared nothing of what is kept
    context.prepared().clear();
    throw;
  }
}

template <Scalar T>
Outcome gemm(Context& context, const GemmProblem<T>& problem, const Choices& choices) {
  Staged<T> staged(context, problem, settled(context, choices));
  if (!staged.fits()) return {Decline{Reason::MemoryCap}, {}};
  Outcome outcome = multiply(context, staged.product(), staged.choices());
  if (!outcome.declined) timed(context, Stage::Fetch, [&] { staged.fetch(); });
  return outcome;
}

template Outcome gemm(Context&, const GemmProblem<double>&, const Choices&);
template Outcome gemm(Context&, const GemmProblem<Complex>&, const Choices&);

}  // namespace ab::ops
