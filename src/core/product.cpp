// SPDX-License-Identifier: MIT
#include "core/product.hpp"

#include <algorithm>

namespace ab {
namespace {

bool computed_nothing(const ProductReport& report) {
  return report.scheme == Scheme::None || report.scheme == Scheme::Trivial;
}

// Of two guards: none is weaker than any; a proof without the guard is stronger than all looks; a later look is weaker than an earlier.
bool is_weaker(const ProductReport& a, const ProductReport& b) {
  const auto rank = [](const ProductReport& report) { return report.guard < 0 ? 100 : report.guard == 4 ? -1 : report.guard; };
  return rank(a) > rank(b);
}

}  // namespace

ProductReport merged(const ProductReport& first, const ProductReport& second) {
  if (first.scheme == Scheme::None) return second;
  if (computed_nothing(second)) return first;
  if (computed_nothing(first)) return second;
  ProductReport out = is_weaker(second, first) ? second : first;
  out.precision = first.precision;
  out.route_reason = first.route_reason;
  out.moduli = std::max(first.moduli, second.moduli);
  out.escalations = first.escalations + second.escalations;
  out.complex_form = std::max(first.complex_form, second.complex_form);
  out.bound = first.bound < 0 || second.bound < 0 ? -1 : std::max(first.bound, second.bound);
  out.fallback_reason = first.fallback_reason != Reason::None ? first.fallback_reason : second.fallback_reason;
  return out;
}

}  // namespace ab
