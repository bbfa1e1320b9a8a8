// SPDX-License-Identifier: MIT
// The precision class of the calling thread, and what its last product was computed by.
#include "capi/arguments.hpp"
#include "capi/guarded.hpp"
#include "core/thread_state.hpp"

using ab::Precision;
using ab::Status;
using ab::capi::fail;
using ab::capi::guarded;

static_assert(AB_PRECISION_DD == static_cast<int>(Precision::DoubleFloat) && AB_PRECISION_FAST == static_cast<int>(Precision::Fast) &&
              AB_PRECISION_FP64 == static_cast<int>(Precision::Fp64) && AB_PRECISION_STRICT == static_cast<int>(Precision::Strict) &&
              AB_PRECISION_EXACT == static_cast<int>(Precision::Exact));
static_assert(AB_SCHEME_TRIVIAL == static_cast<int>(ab::Scheme::Trivial) && AB_SCHEME_EXACT == static_cast<int>(ab::Scheme::Exact));
static_assert(AB_ENGINE_HOST == static_cast<int>(ab::Engine::Host) && AB_ENGINE_SPLIT == static_cast<int>(ab::Engine::Split));

namespace {

std::optional<Precision> choice_of(int number) {
  if (number == AB_PRECISION_DEFAULT) return std::nullopt;
  if (number < AB_PRECISION_DD || number > AB_PRECISION_EXACT) {
    fail(Status::InvalidArgument, "precision is " + std::to_string(number) + ", expected 0 (default) to 5 (exact)");
  }
  const auto chosen = static_cast<Precision>(number);
  if (!ab::is_available(chosen)) {
    fail(Status::InvalidArgument,
         "precision is " + std::to_string(number) + " (" + ab::word_of(chosen) + "): this version does not compute that class yet");
  }
  return chosen;
}

ABProduct describe(const ab::ProductReport& report) {
  ABProduct product = {};
  const bool any = report.scheme != ab::Scheme::None;
  product.precision = static_cast<ABPrecision>(any ? report.precision : ab::thread_precision());
  product.scheme = static_cast<ABScheme>(report.scheme);
  product.engine = static_cast<ABEngine>(report.engine);
  product.device = report.device;
  product.moduli = report.moduli;
  product.escalations = report.escalations;
  product.guard = report.guard;
  product.complex_form = report.complex_form;
  product.bound = report.bound;
  product.route_reason = ab::word_of(report.route_reason);
  product.fallback_reason = ab::word_of(report.fallback_reason);
  return product;
}

}  // namespace

extern "C" {

ABStatus ab_set_precision(ABPrecision precision) {
  return guarded("ab_set_precision", [&] { ab::thread_state().precision = choice_of(ab::capi::number_of(precision)); });
}

ABPrecision ab_get_precision(void) {
  return static_cast<ABPrecision>(ab::thread_precision());
}

ABStatus ab_last_product(ABProduct* product) {
  return guarded("ab_last_product", [&] {
    if (!product) fail(Status::InvalidArgument, "product is NULL, expected an ABProduct");
    const std::size_t size = product->struct_size;
    ab::capi::require_struct_size(size, sizeof(ABProduct));
    *product = describe(ab::thread_state().last_product);
    product->struct_size = size;
  });
}

}  // extern "C"
