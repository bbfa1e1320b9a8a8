// SPDX-License-Identifier: MIT
#include "split_measure.hpp"

#include <algorithm>
#include <chrono>

#include "contenders.hpp"

namespace ab::cli {
namespace {

double seconds_of_run(Contender& contender) {
  const auto start = std::chrono::steady_clock::now();
  contender.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

SplitTime time_share(const Workload& work, ABPrecision precision, const SplitTiming& timing, double share) {
  const std::unique_ptr<Contender> contender = direct_contender(work, precision, share);
  std::vector<Sample> samples;
  for (int run = -timing.warmup; run < timing.runs; ++run) {
    const double seconds = seconds_of_run(*contender);
    if (run >= 0) samples.push_back({seconds, std::nullopt});
  }
  return {median_seconds(samples), share, checksum(contender->result())};
}

}  // namespace

SplitTime measure_split(const Workload& work, int device, ABPrecision precision, const SplitTiming& timing) {
  use_device(0);
  const std::unique_ptr<Contender> cpu = direct_contender(work, precision, 0);
  cpu->run();
  const double cpu_s = seconds_of_run(*cpu);
  use_device(device);
  // Both would end at once with this share if each worked as fast beside the other as alone; shares around it are tried.
  const double even = timing.device_s / (timing.device_s + cpu_s);
  SplitTime best{};
  for (const double factor : {0.5, 0.8, 1.0}) {
    const double share = std::clamp(even * factor, 0.01, 0.99);
    const SplitTime timed = time_share(work, precision, timing, share);
    if (best.share == 0 || timed.median_s < best.median_s) best = timed;
  }
  return best;
}

}  // namespace ab::cli
