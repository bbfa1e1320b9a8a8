// SPDX-License-Identifier: MIT
// How fast this core's matrix unit is right now: it may be shared with a sibling thread that nothing else here can see.
#pragma once
#include <optional>

namespace ab::cli {

/// int8 TOPS (two operations per multiply-add) of the calling thread's core: the median of five bursts of tile loads from the first-level
/// cache and tile products, after 0.5 ms of them. Takes 1 to 3 ms. Nothing where there is no AMX, or the system does not grant it.
std::optional<double> measure_matrix_rate();

}  // namespace ab::cli
