// SPDX-License-Identifier: MIT
// Wall time of one operation, for the statistics.
#pragma once
#include <chrono>

namespace ab::capi {

class Stopwatch {
 public:
  double elapsed_ms() const { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace ab::capi
