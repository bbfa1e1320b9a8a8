// SPDX-License-Identifier: MIT
#include "device_list.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "device/registry.hpp"
#include "options.hpp"

namespace ab::cli {
namespace {

std::string verdict(const ABDeviceTraits& traits) {
  if (traits.trusted == 1) return "passed";
  return traits.trusted == 0 ? "refused: " + std::string(traits.reason) : "not tested";
}

}  // namespace

std::vector<ListedDevice> list_devices() {
  const int current = ab_current_device();
  std::vector<ListedDevice> devices;
  for (int index = 0; index < ab_device_count(); ++index) {
    ab_select_device(index);  // tests it; the verdict is in the traits
    devices.push_back({device_traits(index), device::traits_of(index).features, index == current});
  }
  ab_select_device(current);
  return devices;
}

std::string text_of(const std::vector<ListedDevice>& devices) {
  std::size_t id_width = 0, name_width = 0, feature_width = 0;
  for (const ListedDevice& device : devices) {
    id_width = std::max(id_width, std::string(device.traits.id).size());
    name_width = std::max(name_width, std::string(device.traits.name).size());
    feature_width = std::max(feature_width, device.features.size());
  }
  std::string text;
  for (const ListedDevice& device : devices) {
    text += fmt::format("{:>3}  {:<{}}  {:<{}}  {:>4.0f} GB  {:<{}}  {}{}\n", device.traits.index, device.traits.id, id_width,
                        device.traits.name, name_width, static_cast<double>(device.traits.memory_bytes) / (1u << 30), device.features,
                        feature_width, verdict(device.traits), device.current ? "   <- current" : "");
  }
  return text;
}

nlohmann::ordered_json json_of(const std::vector<ListedDevice>& devices) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ListedDevice& device : devices) {
    nlohmann::ordered_json entry;
    entry["index"] = device.traits.index;
    entry["id"] = device.traits.id;
    entry["name"] = device.traits.name;
    entry["features"] = device.features;
    entry["memory_bytes"] = device.traits.memory_bytes;
    entry["max_buffer_bytes"] = device.traits.max_buffer_bytes;
    entry["unified_memory"] = device.traits.unified_memory == 1;
    entry["fp64"] = device.traits.fp64 == 1;
    entry["int8_matrix"] = device.traits.int8_matrix == 1;
    entry["self_test"] = verdict(device.traits);
    entry["current"] = device.current;
    list.push_back(entry);
  }
  return list;
}

}  // namespace ab::cli
