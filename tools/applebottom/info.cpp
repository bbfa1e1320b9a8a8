// SPDX-License-Identifier: MIT
// applebottom info: version, devices with self-test, host BLAS, table and settings in force.
#include <fmt/core.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/settings.hpp"
#include "device/registry.hpp"
#include "device_list.hpp"
#include "host_blas/host_blas.hpp"
#include "routing/tables.hpp"
#include "subcommands.hpp"

namespace ab::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}", __clang_major__, __clang_minor__);
#else
  return fmt::format("gcc {}.{}", __GNUC__, __GNUC_MINOR__);
#endif
}

Json host_blas_json() {
  const host_blas::Library* library = host_blas::library();
  if (!library) return nullptr;
  return {{"file", library->file}, {"version", library->version}, {"cblas", library->of(*find_routine("dgemm")).cblas != nullptr}};
}

Json table_json() {
  const routing::Tables* tables = routing::tables();
  if (!tables) return nullptr;
  const device::Traits& device = device::traits_of(ab_current_device());
  const std::string& cpu = device::traits_of(0).name;
  const auto [section, of_file, unmet] = routing::section_for(*tables, {device.name, cpu, device.table_kind, settings().num_threads});
  Json json;
  const bool built_in = section ? !of_file : tables->file_name.empty();
  json["file"] = built_in ? "built-in" : tables->file_name;
  if (!section) {
    json["section"] = nullptr;
    return json;
  }
  json["section"] = {{"device", section->device}, {"cpu", section->cpu}, {"threads", section->threads}, {"date", section->date}};
  if (!section->machines.empty()) json["section"]["machines"] = section->machines;
  return json;
}

struct Setting {
  const char* name;
  std::string value;
};

std::string split_word(const Split& split) {
  if (split.mode == Split::Mode::Share) return fmt::format("{}", split.share);
  return split.mode == Split::Mode::Auto ? "auto" : "off";
}

std::vector<Setting> settings_in_force() {
  const Settings& set = settings();
  constexpr const char* modes[] = {"auto", "cpu", "gpu"};
  std::string disabled;
  for (const std::string& routine : set.disabled) disabled += (disabled.empty() ? "" : ",") + routine;
  const std::string report = !set.report ? "off" : set.report_path.empty() ? "stderr" : set.report_path;
  return {{"AB_MODE", modes[static_cast<int>(set.mode)]},
          {"AB_MIN_GPU_DIM", std::to_string(set.min_gpu_dim)},
          {"AB_PRECISION", word_of(set.precision)},
          {"AB_REPRODUCIBLE", set.reproducible ? "on" : "off"},
          {"AB_DEVICE", set.device},
          {"AB_DISPATCH_TABLE", set.dispatch_table},
          {"AB_SPLIT", split_word(set.split)},
          {"AB_DISABLE", disabled},
          {"AB_HOST_PACK", set.host_pack ? "on" : "off"},
          {"AB_STAGING_MB", set.staging_mb < 0 ? "" : std::to_string(set.staging_mb)},
          {"AB_HOST_BLAS", set.host_blas},
          {"AB_NUM_THREADS", std::to_string(set.num_threads)},
          {"AB_REPORT", report},
          {"AB_TRACE", set.trace_path}};
}

const char* origin_of(const char* name) {
  return std::getenv(name) ? "environment" : "default";
}

Json info_json(const std::vector<ListedDevice>& devices) {
  Json json;
  json["version"] = ab_version();
  json["compiler"] = compiler();
  json["devices"] = json_of(devices);
  json["host_blas"] = host_blas_json();
  json["table"] = table_json();
  for (const Setting& setting : settings_in_force()) {
    json["settings"][setting.name] = {{"value", setting.value}, {"from", origin_of(setting.name)}};
  }
  json["local_rank"] = settings().local_rank < 0 ? Json(nullptr) : Json(settings().local_rank);
  return json;
}

void print_host_blas(const Json& host) {
  if (host.is_null()) {
    fmt::print("host BLAS    none found\n");
    return;
  }
  const std::string version = host["version"];
  fmt::print("host BLAS    {}{}\n", host["file"].get<std::string>(), version.empty() ? "" : " (" + version + ")");
}

void print_table(const Json& table) {
  if (table.is_null()) return;
  const std::string file = table["file"];
  if (table["section"].is_null()) {
    fmt::print("table        {}: nothing measured for this device and CPU; AB_MODE=auto stays on the host\n", file);
    return;
  }
  const Json& section = table["section"];
  const auto word = [&section](const char* key) { return section[key].get<std::string>(); };
  const int threads = section["threads"];
  if (section.contains("machines")) {
    fmt::print("table        {}: measured on {}, {} thread{}, {}\n", file, word("machines"), threads, threads == 1 ? "" : "s",
               word("date"));
    return;
  }
  fmt::print("table        {}: {} with {}, {} threads, measured {}\n", file, word("device"), word("cpu"), threads, word("date"));
}

Exit info(const SharedOptions& options) {
  const std::vector<ListedDevice> devices = list_devices();
  const Json json = info_json(devices);
  if (options.json) {
    fmt::print("{}\n", json.dump(1));
    return Exit::Fine;
  }
  fmt::print("apple-bottom {} (C++20, {})\n{}", ab_version(), compiler(), text_of(devices));
  print_host_blas(json["host_blas"]);
  print_table(json["table"]);
  const char* title = "settings";
  for (const auto& [name, setting] : json["settings"].items()) {
    const std::string value = setting["value"];
    const std::string shown = value.empty() ? name : name + "=" + value;
    fmt::print("{:<12} {} ({})\n", title, shown, setting["from"].get<std::string>());
    title = "";
  }
  if (settings().local_rank >= 0) fmt::print("local rank   {} of {}\n", settings().local_rank, settings().local_size);
  return Exit::Fine;
}

}  // namespace

Action add_info(CLI::App& command) {
  auto options = std::make_shared<SharedOptions>();
  add_shared_options(command, *options);
  return [options] {
    if (!options->device.empty()) use_device(parse_devices(options->device).front());
    return info(*options);
  };
}

}  // namespace ab::cli
