// SPDX-License-Identifier: MIT
// Traces of AB_TRACE as they are read back: line by line, so that a file whose program died is readable up to its end.
#pragma once
#include <complex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "options.hpp"

namespace ab::cli {

struct TracedCall {
  std::string routine, category;
  nlohmann::json arguments;  // all of them, as written
  Shape shape = {};
  std::string api, precision, engine, method, device, reason;  // reason: why it fell back, else why it was routed there
  std::complex<double> alpha, beta;
  double start_us = 0, duration_us = 0;
  Index sequence = 0, thread = 0;

  bool complex() const { return routine.starts_with('z'); }
  double flops() const;  // 2mnk or 8mnk, whatever the method
};

struct TracedStage {
  std::string name;
  double start_us = 0, duration_us = 0;
  Index sequence = 0, thread = 0;
};

struct Trace {
  std::string file, program, version, device, host_blas;
  Index process = 0, rank = 0;
  double start_unix_us = 0;       // the wall clock at ts 0
  bool ended = false;             // orderly; else the program died or still runs
  std::vector<TracedCall> calls;  // by their order of start
  std::vector<TracedStage> stages;
  std::vector<std::string> bad_lines;  // "file:7: what is wrong with it"
};

/// What can be read is there; lines that cannot are named. A piece of a line at the end of a file that was cut off is no bad line.
/// Throws Failure(NotAvailable) when there is no such file, or it is no trace.
Trace read_trace(const std::string& file);

}  // namespace ab::cli
