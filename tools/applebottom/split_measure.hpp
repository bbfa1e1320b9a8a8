// SPDX-License-Identifier: MIT
// The time of a product that the cpu device shares with another one, at the best of a few shares.
#pragma once
#include "measure.hpp"

namespace ab::cli {

struct SplitTime {
  double median_s, share;
  std::uint64_t checksum;
};
struct SplitTiming {
  int runs, warmup;
  double device_s;  // of the device alone
};
/// Measures on the device, which is current afterwards, beside the cpu device.
SplitTime measure_split(const Workload& work, int device, ABPrecision precision, const SplitTiming& timing);

}  // namespace ab::cli
