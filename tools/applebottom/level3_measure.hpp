// SPDX-License-Identifier: MIT
// A routine beyond GEMM timed on a device beside the host BLAS, run by run in turn, and judged.
#pragma once
#include <string>

#include "calibration_grid.hpp"
#include "level3_call.hpp"
#include "options.hpp"

namespace ab::cli {

struct Level3Times {
  double host_s = 0, device_s = 0;  // medians
  /// What is wrong: the class did not run on the device, its runs differ, or an error exceeds the certificate. "" when all is well.
  std::string fault;
};
/// The call of a grid point beyond GEMM, with data of well-scaled sizes.
Level3Call call_of(const GridPoint& point);

struct Level3Timing {
  int runs, warmup;
};
/// Measures on the device, which becomes current; there is a host BLAS. No batches. The precision stays set.
Level3Times measure_level3(const Level3Call& call, int device, ABPrecision precision, const Level3Timing& timing);

/// The largest |C - L R| / (2^-53 |L||R|) over about 100 entries, corners included; L and R as the routine defines them for alpha = 1 and
/// beta = 0. Of equations T X = B the largest |B - T X| / (2^-53 |T||X|).
double error_of_level3(const Level3Call& call, const std::vector<double>& c);

}  // namespace ab::cli
