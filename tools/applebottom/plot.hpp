// SPDX-License-Identifier: MIT
// Measurements as a bar chart in SVG.
#pragma once
#include <string>
#include <vector>

#include "measure.hpp"

namespace ab::cli {

/// One row per measurement: GFLOP/s of the host BLAS and of the device.
std::string svg_of(const std::vector<Measurement>& measurements);

}  // namespace ab::cli
