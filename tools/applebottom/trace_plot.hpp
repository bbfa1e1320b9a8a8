// SPDX-License-Identifier: MIT
// Traces as a picture: who computed when, and how long calls of a size took.
#pragma once
#include <string>
#include <vector>

#include "trace_file.hpp"

namespace ab::cli {

/// SVG: above, a lane for each thread of each process over wall time; below, time against the cube root of m n k, both logarithmic.
/// Colours tell the engine. Its size does not grow with the number of calls: what falls on one pixel is drawn once.
std::string svg_of(const std::vector<Trace>& traces);

}  // namespace ab::cli
