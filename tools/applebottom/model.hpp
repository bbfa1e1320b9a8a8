// SPDX-License-Identifier: MIT
// What a GPU of Apple's could do, from issue slots and memory bandwidth: a model, not a measurement. Its inputs:
// benchmarks/apple_gpus.json.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "workload.hpp"

namespace ab::cli {

struct Chip {
  std::string id, name, source;
  int cores;
  double clock_mhz, bandwidth_gb_s;
};
/// Throws Failure: WrongUsage for a chip that the file does not have, NotAvailable for one of which a figure is missing.
Chip chip_of(const std::string& id);

/// One resident product with nothing prepared. The model knows neither launches nor idle cores, so it is too fast for small sizes.
struct Prediction {
  Chip chip;
  Operation operation;
  Shape shape;
  ABPrecision precision;
  int moduli;                       // 0 for double-float
  double slots;                     // FP32 operations per multiply-add of real numbers
  double ceiling_gflops;            // every slot used, nothing else
  double product_ms;                // multiply-adds at the share of slots that has been reached, or the product's bytes if they take longer
  double memory_ms;                 // of the steps around it: every byte once
  double gflops;                    // from both times
  std::optional<double> published;  // of apple-bottom 1.5.1 (double-float) on this chip
  std::optional<double> published_host;  // Accelerate, in the same table
};
Prediction predict(const Chip& chip, Operation operation, const Shape& shape, ABPrecision precision);

/// The sizes of the table published for the chip, or of the M2 Max's.
std::vector<Shape> shapes_of_model();

std::string text_of(const std::vector<Prediction>& predictions);
nlohmann::ordered_json json_of(const Prediction& prediction);
std::string svg_of(const std::vector<Prediction>& predictions);

}  // namespace ab::cli
