// SPDX-License-Identifier: MIT
// Where a call runs: the one place that decides it, from the table of spec 6.1.
#pragma once
#include <algorithm>

#include "routing/dispatch_table.hpp"
#include "routing/route.hpp"

namespace ab::routing {

/// What holds for the calling thread's device.
struct Surface {
  const Section* section = nullptr;  // measurements; null: there are none
  bool unified_memory = false;       // operands are read in place
  bool shares = false;               // it is not the cpu device, so that the two can share a product
  bool has_vendor_gemm = false;      // as far as is known: whether its library is there shows when it is first wanted
};
/// Asked only when the decision needs it, since reading a table may mean looking for devices.
using SurfaceSource = Surface (*)();

/// May the host BLAS or a vendor's GEMM serve this class?
constexpr bool permits_vendor(Precision precision, const State& state) {
  return precision != Precision::Strict && precision != Precision::Exact && !state.reproducible;
}

/// What rows near the call say. These two take what they need by value, so that the many calls that end before them keep request and
/// state in registers.
Route measured_route(Request request, State state, Surface surface);
/// A route that computes the class on a device, or on it and the cpu device.
Route device_route(Request request, State state, Reason reason, SurfaceSource surface);

/// The route of a call that passed its argument checks and is no quick return: rows 2 to 11; a call that re-enters us from the host BLAS
/// (row 1) is handed straight on and never comes here. Pure, but for the reading of the table. Inline: most
/// calls end at a row that needs little of what they pass.
[[gnu::always_inline]] inline Route choose_route(const Request& request, const State& state, SurfaceSource surface) {
  const auto host = [](Reason reason) { return Route{Engine::Host, Method::Class, reason}; };
  if (state.disabled) return host(Reason::Disabled);
  if (state.forked_child) return host(Reason::ForkedChild);
  if (state.mode == Mode::Cpu) return host(Reason::ModeCpu);
  if (!state.device_usable) return host(Reason::NoDevice);
  if (std::min({request.m, request.n, request.k}) <= state.min_gpu_dim) return host(Reason::BelowMinDim);
  if (state.mode == Mode::Gpu) return device_route(request, state, Reason::ModeGpu, surface);
  if (!permits_vendor(request.precision, state)) {
    return device_route(request, state, state.reproducible ? Reason::Reproducible : Reason::Precision, surface);
  }
  if (!state.host_blas_found) return device_route(request, state, Reason::NoHostBlas, surface);
  const Surface found = surface();
  if (found.section == nullptr || !found.section->reaches(request)) return host(Reason::NoMeasurement);
  return measured_route(request, state, found);
}

}  // namespace ab::routing
