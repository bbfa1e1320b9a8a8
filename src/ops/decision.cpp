// SPDX-License-Identifier: MIT
#include "ops/decision.hpp"

#include <algorithm>

#include "core/thread_state.hpp"
#include "numerics/moduli.hpp"
#include "numerics/plan.hpp"
#include "ops/gemm_steps.hpp"
#include "ops/timed.hpp"

namespace ab::ops {
namespace {

constexpr Index longest_inner = INT32_MAX;  // beyond it the IEEE path (docs/numerics.md 1)

// 2^(45 - E) brings the largest entry of each vector to exponent 45: inside FP32's range whatever is multiplied (10.5).
std::vector<std::int32_t> scales_of(const Scan& scan) {
  std::vector<std::int32_t> scales;
  scales.reserve(scan.records.size());
  for (const numerics::Record& record : scan.records) scales.push_back(numerics::is_zero(record) ? 0 : 45 - record.E);
  return scales;
}

Decision double_float(const Product& product, const Scans& scans) {
  const std::optional<int> form =
      numerics::double_float_form(scans.left->records, scans.right->records, product.left.part_count, product.left.inner);
  if (!form) return IeeePath{Reason::Range, true};
  return DoubleFloatPlan{*form, scales_of(*scans.left), scales_of(*scans.right)};
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

std::vector<std::int32_t> part_of(const std::vector<std::int32_t>& all, Block block) {
  const auto first = all.begin() + block.first;
  return {first, first + block.count};
}

// Does what a decision says, and describes it.
struct Performer {
  Context& context;
  const Product& product;
  Choices choices;
  ProductReport report;

  // A decline where a host BLAS may take over, else FP64 inner products on the device.
  Outcome operator()(const IeeePath& path) {
    report.fallback_reason = path.reason;
    if (choices.may_decline) return {Decline{path.reason}, report};
    timed(context, Stage::Multiply, [&] { multiply_ieee(context, product, choices); });
    report.scheme = Scheme::Ieee;
    report.guard = path.finite ? 4 : -1;
    report.bound = path.finite ? static_cast<double>(product.left.inner) * product.left.part_count : -1;
    return {std::nullopt, report};
  }

  Outcome operator()(const DoubleFloatPlan& plan) {
    multiply_dd(context, product, plan, choices);
    report.scheme = Scheme::DoubleFloat;
    report.guard = 4;
    report.complex_form = plan.form == 1 ? 0 : plan.form;
    report.bound = numerics::double_float_bound(plan.form, product.left.inner);
    return {std::nullopt, report};
  }

  Outcome operator()(const CrtPlan& plan) {
    multiply_crt(context, product, plan, choices);
    report.scheme = scheme_of(*choices.family);
    report.guard = plan.rung.level;
    report.escalations = plan.escalations;
    report.moduli = numerics::moduli(*choices.family, plan.budget()).count;
    report.complex_form = product.left.part_count == 1 ? 0 : plan.split ? 4 : 3;
    report.bound = static_cast<double>(plan.rung.bound) / 1024;
    return {std::nullopt, report};
  }
};

}  // namespace

Decision decide(Context& context, const Product& product, const Choices& choices) {
  if (product.left.inner > longest_inner) return IeeePath{Reason::SizeLimit, false};
  std::optional<CrtPlan> usual;
  MeanwhileOfBoth meanwhile;  // what is recorded goes step by step
  if (choices.precision != Precision::DoubleFloat && thread_state().watch == nullptr) {
    meanwhile = [&](const Scans& scans) {
      usual = usual_plan(choices.precision, scans);
      make_residues_ahead(context, product, *usual, choices);
    };
  }
  const Scans scans = scan_both(context, product, OperandForm::Whole, meanwhile);
  if (!scans.left->finite || !scans.right->finite) return IeeePath{Reason::Nonfinite, false};
  if (choices.precision == Precision::DoubleFloat) return double_float(product, scans);
  if (std::optional<CrtPlan> plan = plan_crt(context, product, choices.precision, scans)) {
    if (usual && same_residues(*plan, *usual)) plan->left_made = usual->left_made, plan->right_made = usual->right_made;
    return *std::move(plan);
  }
  return IeeePath{Reason::Uncertified, true};
}

Decision decision_for(const Decision& decision, Block columns) {
  Decision part = decision;
  if (auto* dd = std::get_if<DoubleFloatPlan>(&part)) dd->right_scales = part_of(dd->right_scales, columns);
  if (auto* crt = std::get_if<CrtPlan>(&part)) {
    crt->first_right += columns.first;
    crt->left_made = crt->right_made = nullptr;
  }
  return part;
}

Outcome carry_out(Context& context, const Product& product, const Decision& decision, const Choices& choices) {
  return std::visit(Performer{context, product, in_buffers_of(context, choices), report_of(context, choices)}, decision);
}

// Kernels number vectors, terms and groups of 64 entries in 32 bits; some devices count to 65535 in each direction of a grid.
bool is_countable(const Product& product) {
  constexpr Index most_vectors = INT32_MAX, most_terms = UINT32_MAX, most_groups = Index{65535} * AB_FOLD;
  return product.c.rows <= most_vectors && product.c.columns <= most_vectors && product.left.inner <= most_terms &&
         groups_for(product.c.rows, 64) * product.c.columns <= most_groups;
}

bool can_sum(Context& context, const Product& product) {
  const Index most = context.device().traits().most_terms;
  return most == 0 || product.left.inner <= most;
}

bool is_trivial(const Product& product) {
  return product.c.rows == 0 || product.c.columns == 0 || product.alpha == Complex(0, 0) || product.left.inner == 0;
}

ProductReport report_of(const Context& context, const Choices& choices) {
  ProductReport report;
  report.precision = choices.precision;
  report.engine = Engine::Device;
  report.device = context.index();
  return report;
}

Choices in_buffers_of(Context& context, Choices choices) {
  Context& multiplier = choices.multiplier != nullptr ? *choices.multiplier : context;
  const std::uint64_t most = multiplier.device().traits().max_buffer_bytes;
  if (static_cast<std::uint64_t>(choices.cap_bytes) > most) choices.cap_bytes = static_cast<Index>(most);
  return choices;
}

Choices settled(Context& context, Choices choices) {
  if (!choices.family) choices.family = context.device().traits().family;
  if (choices.cap_bytes < 0) choices.cap_bytes = static_cast<Index>(context.cap_bytes());
  return choices;
}

}  // namespace ab::ops
