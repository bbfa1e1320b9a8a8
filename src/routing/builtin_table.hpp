// SPDX-License-Identifier: MIT
// The routing table compiled in: the text a calibration writes. Empty until one has been measured for a machine of ours.
#pragma once

namespace ab::routing {

inline constexpr const char* builtin_table = "";

}  // namespace ab::routing
