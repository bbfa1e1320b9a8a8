// SPDX-License-Identifier: MIT
// The environment, read once at the first call that needs it and then fixed for the process (spec 7).
#pragma once
#include <string>
#include <vector>

#include "core/types.hpp"

namespace ab {

enum class Mode { Auto, Cpu, Gpu };

struct Settings {
  Mode mode = Mode::Auto;
  Index min_gpu_dim = 32;
  Precision precision = Precision::Fp64;
  bool reproducible = false;
  std::string device;               // AB_DEVICE in lower case; "" when not asked for
  std::string dispatch_table;       // file, "builtin" or ""
  std::vector<std::string> disabled;  // routines that stay on the host side
  bool host_pack = false;
  Index staging_mb = -1;            // -1: not set
  std::string host_blas;            // file or ""
  int num_threads = 0;              // AB_NUM_THREADS, else OMP_NUM_THREADS, else CPUs of the affinity mask; >= 1
  bool report = false;              // to stderr, unless report_path
  std::string report_path;          // AB_REPORT with a '/'
  std::string trace_path;           // AB_TRACE
  int local_rank = -1;              // -1: unknown
  int local_size = 1;
};

/// The one instance. Lock-free after the first call.
const Settings& settings();

/// One line on stderr, "apple-bottom: ..."; used for bad values and unmet explicit requests only.
void warn(const std::string& text);

/// Reads the settings from a given environment (for tests); bad values go to `complaints` and give the default.
Settings read_settings(const char* (*get)(const char* name), std::vector<std::string>& complaints);

}  // namespace ab
