// SPDX-License-Identifier: MIT
// The environment, read once at the first call that needs it and then fixed for the process (spec 7).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace ab {

enum class Mode { Auto, Cpu, Gpu };
enum class CpuKernels { Best, Amx, Vnni, Avx2, Neon, Common };  // the cpu device starts its choice here and steps down
enum class GpuKernels { Best, Ampere, Common };                 // Ampere: not what only later CUDA devices have

/// Of device-routed products, between the cpu device and another one.
struct Split {
  enum class Mode { Off, Auto, Share };  // Auto: by the routing table
  Mode mode = Mode::Off;
  double share = 0;  // Share: the cpu's part of the columns, 0 < share < 1
};

struct Settings {
  Mode mode = Mode::Auto;
  Index min_gpu_dim = 32;
  Precision precision = Precision::Fp64;
  bool reproducible = false;
  std::string device;                 // AB_DEVICE in lower case; "" when not asked for
  std::string dispatch_table;         // file, "builtin" or ""
  std::string config_home;            // folder of the per-user files: XDG_CONFIG_HOME, else HOME/.config; "" when unknown
  std::vector<std::string> disabled;  // routines that stay on the host side
  Split split;
  bool host_pack = false;
  Index staging_mb = -1;  // -1: not set
  std::string host_blas;  // file or ""
  CpuKernels cpu_kernels = CpuKernels::Best;
  std::map<std::string, GpuKernels> gpu_kernels;  // by kind of device, each that has native ones
  int num_threads = 1;                            // AB_NUM_THREADS, else OMP_NUM_THREADS, else usable_cpus(); >= 1
  bool report = false;                            // asked for, to stderr or to report_path
  std::string report_path;                        // AB_REPORT with a '/'
  std::string trace_path;                         // AB_TRACE
  bool profile = false;                           // AB_PROFILE
  std::string profile_json_path;                  // AB_PROFILE_JSON
  Index profile_threshold_ns = 0;                 // calls shorter than this are not in the profile
  int rank = -1;                                  // in a parallel run; -1: unknown
  int local_rank = -1;                            // -1: unknown
  int local_size = 1;
};

/// The one instance. Lock-free after the first call.
const Settings& settings() noexcept;

/// For a process at its end: the one instance if it was read, else a silent reading of the environment that is not kept.
Settings settings_for_exit();

/// One line on stderr, "apple-bottom: ..."; used for bad values and unmet explicit requests only.
void warn(const std::string& text);

/// A set-user-ID process ignores what names files: its caller could point them anywhere.
enum class FileVariables { Obey, Ignore };

/// Reads the settings from a given environment (for tests); bad values go to `complaints` and give the default.
Settings read_settings(const char* (*get)(const char* name), std::vector<std::string>& complaints,
                       FileVariables files = FileVariables::Obey);

}  // namespace ab
