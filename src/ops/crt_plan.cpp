// SPDX-License-Identifier: MIT
#include "ops/crt_plan.hpp"

#include <algorithm>
#include <utility>

#include "ops/resident.hpp"
#include "ops/timed.hpp"

namespace ab::ops {
namespace {

using numerics::Inner;
using numerics::Rung;

// One form of a product as the guard looks at it: its vectors, and what the class accepts.
struct Form {
  std::vector<VectorView> left, right;  // one view each, or the two parts of the split form
  int parts;
  Index inner;
  std::int64_t limit;
  int first;
};

struct Found {
  Rung rung;
  int look;
  Inner inner;      // of the second look
  Scans rescanned;  // empty when the first look's records hold
};

std::vector<std::int32_t> find_peaks(Context& context, std::span<const VectorView> views, const Scan& scan) {
  const auto count = static_cast<std::size_t>(views[0].inner);
  const std::vector<std::int32_t> none(count, numerics::no_peak);
  const Lease peaks = upload(context, std::span<const std::int32_t>(none));
  Index first = 0;
  for (const VectorView& view : views) {
    for (const Block& panel : panels_of(view)) {
      const ResidentBlock block = make_resident(context, view, panel, {0, view.inner});
      const VectorView& v = block.view;
      kernels::peaks_params p{};
      p.v = kernel_view(v);
      p.groups = static_cast<kernels::uint>(groups_for(v.inner, 32));
      p.first_record = static_cast<kernels::uint>(first + panel.first);
      context.launch(Text::Peaks, p.groups, v.vectors * v.inner * v.part_count * 4,
                     {whole(v.parts[0]), whole(v.parts[v.part_count == 2 ? 1 : 0]), scan.records_on_device, peaks.slice(), params(p)});
    }
    first += view.vectors;
  }
  return download<std::int32_t>(context, peaks, count);
}

std::vector<std::int32_t> pairs_of(const Inner& inner) {
  std::vector<std::int32_t> pairs;
  pairs.reserve(2 * inner.kappa.size());
  for (std::size_t k = 0; k < inner.kappa.size(); ++k) {
    pairs.push_back(inner.kappa[k]);
    pairs.push_back(inner.group[k]);
  }
  return pairs;
}

std::optional<Rung> climb(Context& context, const Form& form, const Scans& scans, const std::vector<Index>& group_sizes) {
  return timed(context, Stage::Plan, [&] {
    return numerics::climb({scans.left->side(), scans.right->side(), form.parts, group_sizes}, form.limit, form.first);
  });
}

// The profiles are taken by groups of inner indices, so a second look always scans again; the records differ only if a kappa does.
std::optional<Found> look_again(Context& context, const Form& form, const Scans& scans) {
  const auto [of_left, of_right] = timed(context, Stage::Scan, [&] {
    return std::pair(find_peaks(context, form.left, *scans.left), find_peaks(context, form.right, *scans.right));
  });
  Inner inner =
      timed(context, Stage::Plan, [&, &of_left = of_left, &of_right = of_right] { return numerics::plan_inner(of_left, of_right); });
  if (inner.group_sizes.empty()) return std::nullopt;
  const std::vector<std::int32_t> pairs = pairs_of(inner);
  const InnerOnDevice on_device{&inner, upload(context, std::span<const std::int32_t>(pairs))};
  const Scans again = timed(context, Stage::Scan, [&] {
    const std::array<ToScan, 2> both = {{{form.left, HandSide::Left}, {form.right, HandSide::Right}}};
    const std::vector<SharedScan> made = scan(context, both, on_device);
    return Scans{made[0], made[1]};
  });
  const std::optional<Rung> rung = climb(context, form, again, inner.group_sizes);
  if (!rung) return std::nullopt;
  return Found{*rung, 2, std::move(inner), again};
}

std::optional<Found> look(Context& context, const Form& form, const Scans& scans) {
  const std::optional<Rung> first = climb(context, form, scans, {form.inner});
  std::optional<Found> found;
  if (first) found = Found{*first, 1, {}, {}};
  if (!numerics::wants_second_look(first, form.first)) return found;
  std::optional<Found> second = look_again(context, form, scans);
  if (second && (!found || second->rung.index < found->rung.index)) return second;
  return found;
}

CrtPlan plan_of(const Found& found, const Scans& first_scans, const Form& form) {
  const bool again = found.look == 2;
  CrtPlan plan;
  plan.rung = found.rung;
  plan.split = form.left.size() == 2;
  plan.look = found.look;
  plan.escalations = found.rung.index - form.first;
  plan.scans = again ? found.rescanned : first_scans;
  if (again && found.inner.any_kappa) plan.inner_pairs = pairs_of(found.inner);
  return plan;
}

}  // namespace

Scans scan_both(Context& context, const Product& product, OperandForm form, const MeanwhileOfBoth& meanwhile) {
  return timed(context, Stage::Scan, [&] { return first_scans(context, product.left, product.right, form, meanwhile); });
}

CrtPlan usual_plan(Precision precision, const Scans& scans) {
  CrtPlan plan;
  plan.rung.index = numerics::first_rung(precision);
  plan.scans = scans;
  return plan;
}

bool same_residues(const CrtPlan& a, const CrtPlan& b) {
  return a.rung.index == b.rung.index && a.split == b.split && a.inner_pairs.empty() && b.inner_pairs.empty();
}

std::optional<CrtPlan> plan_crt(Context& context, const Product& product, Precision precision, const Scans& scans) {
  const int parts = product.left.part_count;
  const Index inner = product.left.inner;
  Form joint{{product.left}, {product.right}, parts, inner, numerics::contract(precision, inner, parts), numerics::first_rung(precision)};
  const std::optional<Found> found = look(context, joint, scans);
  const auto finish = [&](const Found& chosen, const Scans& first_scans, const Form& form) {
    return timed(context, Stage::Plan, [&] { return std::optional(plan_of(chosen, first_scans, form)); });
  };
  if (parts == 1 || !numerics::wants_second_look(found ? std::optional(found->rung) : std::nullopt, joint.first)) {
    return found ? finish(*found, scans, joint) : std::nullopt;
  }
  Form split = joint;
  split.parts = 1;
  split.left = {part_of(product.left, 0), part_of(product.left, 1)};
  split.right = {part_of(product.right, 0), part_of(product.right, 1)};
  const Scans split_scans = scan_both(context, product, OperandForm::Split);
  const std::optional<Found> other = look(context, split, split_scans);
  if (other && numerics::takes_split(found ? std::optional(found->rung) : std::nullopt, other->rung))
    return finish(*other, split_scans, split);
  return found ? finish(*found, scans, joint) : std::nullopt;
}

}  // namespace ab::ops
