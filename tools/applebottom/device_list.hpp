// SPDX-License-Identifier: MIT
// The devices of this machine with the verdict of their self-test.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apple_bottom.h"

namespace ab::cli {

struct ListedDevice {
  ABDeviceTraits traits;
  std::string features;  // "avx2, 2 threads"
  bool current;          // of this thread
};

/// Opens and tests every device that has not been tested yet.
std::vector<ListedDevice> list_devices();

std::string text_of(const std::vector<ListedDevice>& devices);  // one line each
nlohmann::ordered_json json_of(const std::vector<ListedDevice>& devices);

}  // namespace ab::cli
