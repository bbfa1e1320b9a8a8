// SPDX-License-Identifier: MIT
// Any environment gives settings that hold what their names promise, and at most one line of complaint a variable.
// An input is lines "<letter><value>": the letter names the variable.
#include <algorithm>
#include <map>
#include <string>

#include "core/settings.hpp"
#include "fuzz/require.hpp"

namespace {

constexpr const char* names[] = {"AB_MODE",
                                 "AB_MIN_GPU_DIM",
                                 "AB_PRECISION",
                                 "AB_REPRODUCIBLE",
                                 "AB_DEVICE",
                                 "AB_DISPATCH_TABLE",
                                 "AB_SPLIT",
                                 "AB_DISABLE",
                                 "AB_HOST_PACK",
                                 "AB_STAGING_MB",
                                 "AB_HOST_BLAS",
                                 "AB_NUM_THREADS",
                                 "AB_REPORT",
                                 "AB_TRACE",
                                 "AB_PROFILE",
                                 "AB_PROFILE_JSON",
                                 "AB_PROFILE_THRESHOLD_NS",
                                 "AB_CPU_KERNELS",
                                 "AB_CUDA_KERNELS",
                                 "AB_CROSSOVER_FLOPS",
                                 "AB_PROFILE_FILE",
                                 "OMP_NUM_THREADS",
                                 "OMPI_COMM_WORLD_LOCAL_RANK",
                                 "OMPI_COMM_WORLD_LOCAL_SIZE",
                                 "SLURM_LOCALID",
                                 "HOME",
                                 "XDG_CONFIG_HOME"};
constexpr std::size_t name_count = sizeof names / sizeof *names;

std::map<std::string, std::string> environment;

const char* get(const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? nullptr : found->second.c_str();
}

void read_environment(const std::string& input) {
  environment.clear();
  for (std::size_t at = 0; at < input.size();) {
    const std::size_t end = std::min(input.find('\n', at), input.size());
    if (end > at) environment[names[static_cast<unsigned char>(input[at]) % name_count]] = input.substr(at + 1, end - at - 1);
    at = end + 1;
  }
  environment.try_emplace("OMP_NUM_THREADS", "2");  // counting processors takes long
}

void check(const ab::Settings& settings) {
  REQUIRE(settings.mode == ab::Mode::Auto || settings.mode == ab::Mode::Cpu || settings.mode == ab::Mode::Gpu);
  REQUIRE(settings.min_gpu_dim >= 0);
  REQUIRE(settings.precision >= ab::Precision::DoubleFloat && settings.precision <= ab::Precision::Exact);
  REQUIRE(settings.staging_mb >= -1 && settings.staging_mb <= INT64_MAX >> 20);
  REQUIRE(settings.num_threads >= 1);
  REQUIRE(settings.profile_threshold_ns >= 0);
  REQUIRE(settings.local_rank >= -1 && settings.local_size >= 1 && settings.rank >= -1);
  REQUIRE(settings.report_path.empty() || (settings.report && settings.report_path.find('/') != std::string::npos));
  for (const char c : settings.device) REQUIRE(!(c >= 'A' && c <= 'Z'));
  for (const std::string& routine : settings.disabled) REQUIRE(!routine.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_environment(std::string(reinterpret_cast<const char*>(data), size));
  for (const ab::FileVariables files : {ab::FileVariables::Obey, ab::FileVariables::Ignore}) {
    std::vector<std::string> complaints;
    const ab::Settings settings = ab::read_settings(get, complaints, files);
    check(settings);
    REQUIRE(complaints.size() <= environment.size());
    for (const std::string& complaint : complaints) {
      REQUIRE(std::all_of(complaint.begin(), complaint.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20; }));
      REQUIRE(std::any_of(std::begin(names), std::end(names),
                          [&](const char* name) { return complaint.starts_with(std::string(name) + "="); }));
    }
    if (files == ab::FileVariables::Ignore) {
      REQUIRE(
          (settings.trace_path + settings.report_path + settings.host_blas + settings.profile_json_path + settings.config_home).empty());
    }
  }
  return 0;
}
