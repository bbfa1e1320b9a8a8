// SPDX-License-Identifier: MIT
// Routing measurements of the calling thread's device, and what reports say of the process: both need to see all layers.
#pragma once
#include "report/facts.hpp"
#include "routing/router.hpp"

namespace ab::blas {

/// What routing knows of the thread's current device, the section of the routing table for it in the first place. Opens no device.
routing::Surface surface_of_current_device() noexcept;

/// Host BLAS, device, table and memory of this process, as far as they are known by now. Opens nothing.
report::Facts process_facts();

}  // namespace ab::blas
