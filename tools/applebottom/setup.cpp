// SPDX-License-Identifier: MIT
#include "setup.hpp"

#include <cstdlib>
#include <ctime>

#include "core/settings.hpp"
#include "options.hpp"

namespace ab::cli {
namespace {

constexpr const char* thread_variables[] = {"AB_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS",
                                            "OMP_NUM_THREADS"};
constexpr const char* other_variables[] = {"AB_CPU_KERNELS",    "AB_CUDA_KERNELS", "AB_METAL_KERNELS",        "AB_VULKAN_KERNELS",
                                           "OPENBLAS_CORETYPE", "BLIS_ARCH_TYPE",  "MKL_ENABLE_INSTRUCTIONS", "MKL_THREADING_LAYER",
                                           "MKL_DYNAMIC",       "OMP_WAIT_POLICY", "KMP_BLOCKTIME",           "OMP_PROC_BIND"};

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32] = "";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string cpu_model() {
  for (int index = 0; index < ab_device_count(); ++index) {
    const ABDeviceTraits traits = device_traits(index);
    if (std::string(traits.id) == "cpu") return traits.name;
  }
  return "";
}

}  // namespace

Setup describe_setup() {
  Setup setup{utc_now(), ab_version(), cpu_model(), settings().num_threads, {}};
  const auto note = [&](const char* name) {
    if (const char* value = std::getenv(name)) setup.environment.emplace_back(name, value);
  };
  for (const char* name : thread_variables) note(name);
  for (const char* name : other_variables) note(name);
  return setup;
}

nlohmann::ordered_json json_of(const Setup& setup) {
  nlohmann::ordered_json json;
  json["date"] = setup.date;
  json["library_version"] = setup.library_version;
  json["cpu"] = setup.cpu;
  json["threads"] = setup.threads;
  json["data"] = setup.data;
  json["environment"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : setup.environment) json["environment"][name] = value;
  return json;
}

void set_threads(int count) {
  for (const char* name : thread_variables) setenv(name, std::to_string(count).c_str(), 1);
}

}  // namespace ab::cli
