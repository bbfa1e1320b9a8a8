// SPDX-License-Identifier: MIT
// Where and how a measurement was made: what a reader of its numbers must know.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ab::cli {

struct Setup {
  std::string date;  // UTC, "2026-11-30T12:00:00Z"
  std::string library_version;
  std::string cpu;                                               // its model
  int threads = 1;                                               // of the cpu device
  std::vector<std::pair<std::string, std::string>> environment;  // what is set of the variables that choose threads or kernels
  std::string data = "uniform";                                  // parse_data
};

Setup describe_setup();
nlohmann::ordered_json json_of(const Setup& setup);

/// Sets how many threads the library and BLAS libraries use that are opened later.
void set_threads(int count);

}  // namespace ab::cli
