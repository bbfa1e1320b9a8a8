// SPDX-License-Identifier: MIT
// Where a call runs: the one place that decides it, from the table of spec 6.1.
#pragma once
#include "routing/dispatch_table.hpp"
#include "routing/route.hpp"

namespace ab::routing {

/// The measurements that hold for the calling thread's device; null when there are none. Asked only when the decision needs them,
/// since reading a table may mean looking for devices.
using SectionSource = const Section* (*)();

/// May the host BLAS or a vendor's GEMM serve this class?
constexpr bool permits_vendor(Precision precision, const State& state) {
  return precision != Precision::Strict && precision != Precision::Exact && !state.reproducible;
}

/// The route of a call that passed its argument checks and is no quick return. Pure, but for the reading of the table.
Route choose_route(const Request& request, const State& state, SectionSource section);

}  // namespace ab::routing
