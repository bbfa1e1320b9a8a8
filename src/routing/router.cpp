// SPDX-License-Identifier: MIT
#include "routing/router.hpp"

namespace ab::routing {
namespace {

bool may_split(const Request& request, const State& state, const Surface& surface) {
  return state.split.mode != Split::Mode::Off && request.plain_product && request.n >= 2 && surface.shares;
}

Request on(const Surface& surface, Request request) {
  if (surface.unified_memory) request.path = DataPath::InPlace;
  return request;
}

// The class on a device, or on it and the cpu device.
Route shared_route(Request request, State state, Reason reason, Surface surface) {
  const Route whole{Engine::Device, Method::Class, reason};
  if (!may_split(request, state, surface)) return whole;
  if (state.split.mode == Split::Mode::Share) return {Engine::Split, Method::Class, reason, state.split.share};
  const bool has_rows = request.precision <= Precision::Fp64;  // the classes above are never looked up
  if (surface.section == nullptr || !has_rows) return whole;
  const Verdict verdict = look_up(*surface.section, on(surface, request), class_of(request.precision));
  if (!verdict.split_faster || !verdict.split_share) return whole;
  return {Engine::Split, Method::Class, reason, *verdict.split_share};
}

}  // namespace

Route measured_route(Request request, State state, Surface surface) {
  const Request asked = on(surface, request);
  const Verdict of_class = look_up(*surface.section, asked, class_of(request.precision));
  const bool vendor_may = surface.has_vendor_gemm && request.plain_product;
  const Verdict of_vendor = vendor_may ? look_up(*surface.section, asked, TableClass::Vendor) : Verdict();
  if (!of_class.measured && !of_vendor.measured) return {Engine::Host, Method::Class, Reason::NoMeasurement};
  const bool by_table =
      may_split(request, state, surface) && state.split.mode == Split::Mode::Auto && of_class.split_faster && of_class.split_share;
  const double class_ms = by_table ? of_class.split_ms : of_class.device_ms;
  if (!by_table && !of_class.faster && !of_vendor.faster) return {Engine::Host, Method::Class, Reason::TableSlower};
  const bool vendor_wins = of_vendor.faster && ((!by_table && !of_class.faster) || of_vendor.device_ms < class_ms);
  if (vendor_wins) return {Engine::Device, Method::Vendor, Reason::TableFaster};
  if (by_table) return {Engine::Split, Method::Class, Reason::TableFaster, *of_class.split_share};
  return shared_route(request, state, Reason::TableFaster, surface);
}

Route device_route(Request request, State state, Reason reason, SurfaceSource surface) {
  if (state.split.mode == Split::Mode::Off) return {Engine::Device, Method::Class, reason};
  return shared_route(request, state, reason, surface());
}

}  // namespace ab::routing
