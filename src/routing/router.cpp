// SPDX-License-Identifier: MIT
#include "routing/router.hpp"

#include <algorithm>

namespace ab::routing {
namespace {

Route host(Reason reason) {
  return {Engine::Host, Method::Class, reason};
}
Route device(Reason reason) {
  return {Engine::Device, Method::Class, reason};
}

Route measured_route(const Request& request, const State& state, const Section* section) {
  if (section == nullptr) return host(Reason::NoMeasurement);
  const Verdict of_class = look_up(*section, request, class_of(request.precision));
  const Verdict of_vendor = state.device_has_vendor_gemm ? look_up(*section, request, TableClass::Vendor) : Verdict();
  if (!of_class.measured && !of_vendor.measured) return host(Reason::NoMeasurement);
  if (!of_class.faster && !of_vendor.faster) return host(Reason::TableSlower);
  const bool vendor_wins = of_vendor.faster && (!of_class.faster || of_vendor.device_ms < of_class.device_ms);
  return {Engine::Device, vendor_wins ? Method::Vendor : Method::Class, Reason::TableFaster};
}

}  // namespace

Route choose_route(const Request& request, const State& state, SectionSource section) {
  if (state.inside_host_blas) return host(Reason::Reentry);
  if (state.disabled) return host(Reason::Disabled);
  if (state.forked_child) return host(Reason::ForkedChild);
  if (state.mode == Mode::Cpu) return host(Reason::ModeCpu);
  if (!state.device_usable) return host(Reason::NoDevice);
  if (std::min({request.m, request.n, request.k}) <= state.min_gpu_dim) return host(Reason::BelowMinDim);
  if (state.mode == Mode::Gpu) return device(Reason::ModeGpu);
  if (!permits_vendor(request.precision, state)) return device(state.reproducible ? Reason::Reproducible : Reason::Precision);
  if (!state.host_blas_found) return device(Reason::NoHostBlas);
  return measured_route(request, state, section());
}

}  // namespace ab::routing
