// SPDX-License-Identifier: MIT
#include "routing/router.hpp"

namespace ab::routing {

Route measured_route(Request request, State state, const Section* section) {
  if (section == nullptr) return {Engine::Host, Method::Class, Reason::NoMeasurement};
  const Verdict of_class = look_up(*section, request, class_of(request.precision));
  const Verdict of_vendor = state.device_has_vendor_gemm ? look_up(*section, request, TableClass::Vendor) : Verdict();
  if (!of_class.measured && !of_vendor.measured) return {Engine::Host, Method::Class, Reason::NoMeasurement};
  if (!of_class.faster && !of_vendor.faster) return {Engine::Host, Method::Class, Reason::TableSlower};
  const bool vendor_wins = of_vendor.faster && (!of_class.faster || of_vendor.device_ms < of_class.device_ms);
  return {Engine::Device, vendor_wins ? Method::Vendor : Method::Class, Reason::TableFaster};
}

}  // namespace ab::routing
