// SPDX-License-Identifier: MIT
// Measurements as a chart in SVG.
#pragma once
#include <string>
#include <vector>

#include "measure.hpp"

namespace ab::cli {

/// One size: bars of GFLOP/s, a row per measurement. Several: GFLOP/s over the cube root of m n k, a line per contender; where one was
/// measured several times at a size (a library beside every class), the median.
std::string svg_of(const std::vector<Measurement>& measurements);

}  // namespace ab::cli
