// SPDX-License-Identifier: MIT
// Measurements as tables, JSON and CSV.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "measure.hpp"
#include "setup.hpp"

namespace ab::cli {

/// One object, all numbers with their units in the names. highest_tops: the highest rate of the matrix unit so far, which its samples are
/// held against; without a matrix unit it does not matter.
nlohmann::ordered_json json_of(const Measurement& measurement, double highest_tops);

/// Of all sides of all measurements; 0 when there is no matrix unit.
double highest_rate(const std::vector<Measurement>& measurements);

/// What a reader must know first: machine, version, environment, the libraries.
std::string head_of(const Setup& setup, const MeasureOptions& options);

/// The device beside the host BLAS; then, where there are any, the peers; then, where there is a matrix unit, speeds by its sharing.
std::string tables_of(const std::vector<Measurement>& measurements);

std::string csv_of(const std::vector<nlohmann::ordered_json>& objects);

}  // namespace ab::cli
