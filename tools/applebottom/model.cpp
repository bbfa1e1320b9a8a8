// SPDX-License-Identifier: MIT
#include "model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/apple_gpus.hpp"
#include "line_chart.hpp"
#include "numerics/moduli.hpp"
#include "numerics/plan.hpp"
#include "table.hpp"

namespace ab::cli {
namespace {

using Json = nlohmann::ordered_json;

const Json& inputs() {
  static const Json file = Json::parse(apple_gpus);
  return file;
}

double input(const char* name) {
  return inputs().at(name).at("value").get<double>();
}

double slots_of(const char* what) {
  return inputs().at("slots").at(what).at("value").get<double>();
}

int moduli_of(ABPrecision precision) {
  if (precision == AB_PRECISION_DD) return 0;
  const int budget = numerics::ladder[static_cast<std::size_t>(numerics::first_rung(static_cast<Precision>(precision)))];
  return numerics::moduli(ModuliFamily::Ten, budget).count;
}

struct Bytes {
  double product, around;
};

/// Every operand, plane and result once for each step that reads or writes it: scan (two passes), residues or pairs, product, result.
Bytes bytes_of(Operation operation, const Shape& shape, int moduli) {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k);
  const bool complex = operation == Operation::Zgemm;
  const double operands = m * k + k * n, results = m * n;
  const double word = complex ? 16 : 8;                             // of an entry as FP64
  const double plane = moduli == 0 ? 8 : 2.0 * moduli;              // an entry as a pair, or as halves
  const double operand_planes = complex ? 3 : 1;                    // real, imaginary, sum
  const double result_planes = !complex ? 1 : moduli == 0 ? 3 : 2;  // double-float combines afterwards
  const double prepared = operand_planes * plane * operands, made = result_planes * plane * results;
  return {prepared + made, 2 * word * operands + (word * operands + prepared) + (made + word * results)};
}

void add_published(Prediction& prediction, const std::string& id) {
  const Json& chip = inputs().at("chips").at(id);
  const Shape& shape = prediction.shape;
  if (!chip.contains("published") || shape.m != shape.n || shape.n != shape.k) return;
  const Json& table = chip.at("published").at(word_of(prediction.operation));
  const auto row = table.find(std::to_string(shape.n));
  if (row == table.end()) return;
  if (prediction.precision == AB_PRECISION_DD) prediction.published = row->at(0).get<double>();
  prediction.published_host = row->at(1).get<double>();
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.0f}", *value) : "-";
}

const char* class_of(const Prediction& prediction) {
  return ab::word_of(static_cast<Precision>(prediction.precision));
}

std::string head_of(const Chip& chip) {
  return fmt::format(
      "MODEL of {}: {} cores of {:.0f} lanes at {:.0f} MHz, {:.0f} GB/s. Nothing below was measured by us.\n"
      "ceiling: every issue slot a multiply-add. model: {:.0f} % of the slots, as 1.5.1 reached, and every byte of the other steps once;\n"
      "launches and idle cores are not in it, so small sizes come out too fast. Inputs and sources: benchmarks/apple_gpus.json ({})\n",
      chip.name, chip.cores, input("lanes"), chip.clock_mhz, chip.bandwidth_gb_s, 100 * input("reached"),
      inputs().at("read").get<std::string>());
}

/// The published figure of a size stands beside every class: it is drawn once.
const Prediction* first_with_host(const std::vector<Prediction>& predictions, const Prediction& row) {
  for (const Prediction& other : predictions) {
    if (other.operation == row.operation && text_of(other.shape) == text_of(row.shape) && other.published_host) return &other;
  }
  return nullptr;
}

}  // namespace

Chip chip_of(const std::string& id) {
  const Json& chips = inputs().at("chips");
  const auto found = chips.find(id);
  if (found == chips.end()) {
    std::string known;
    for (const auto& [name, chip] : chips.items()) known += (known.empty() ? "" : ", ") + name;
    throw Failure(Exit::WrongUsage, fmt::format("no figures of '{}'; there are: {}", id, known));
  }
  for (const char* figure : {"cores", "clock_mhz", "bandwidth_gb_s"}) {
    if (found->at(figure).is_null())
      throw Failure(Exit::NotAvailable, fmt::format("the model of {} lacks its {}: no published figure was found ({})", id, figure,
                                                    found->at("source").get<std::string>()));
  }
  return {id,
          found->at("name").get<std::string>(),
          found->at("source").get<std::string>(),
          found->at("cores").get<int>(),
          found->at("clock_mhz").get<double>(),
          found->at("bandwidth_gb_s").get<double>()};
}

Prediction predict(const Chip& chip, Operation operation, const Shape& shape, ABPrecision precision) {
  Prediction prediction{};
  prediction.chip = chip;
  prediction.operation = operation;
  prediction.shape = shape;
  prediction.precision = precision;
  prediction.moduli = moduli_of(precision);
  prediction.slots = prediction.moduli == 0 ? slots_of("dd") : prediction.moduli * slots_of("modulus");
  const double products = operation == Operation::Zgemm ? 3 : 1;
  const double multiply_adds = products * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  const double flops = multiply_adds * (operation == Operation::Zgemm ? 8.0 / 3 : 2.0);
  const double slots_per_s = chip.cores * input("lanes") * chip.clock_mhz * 1e6;
  const double least_s = multiply_adds * prediction.slots / slots_per_s;
  const Bytes bytes = bytes_of(operation, shape, prediction.moduli);
  const double bytes_per_s = chip.bandwidth_gb_s * 1e9;
  prediction.ceiling_gflops = flops / least_s * 1e-9;
  prediction.product_ms = std::max(least_s / input("reached"), bytes.product / bytes_per_s) * 1e3;
  prediction.memory_ms = bytes.around / bytes_per_s * 1e3;
  prediction.gflops = flops / (prediction.product_ms + prediction.memory_ms) * 1e-6;
  add_published(prediction, chip.id);
  return prediction;
}

std::vector<Shape> shapes_of_model() {
  std::vector<Shape> shapes;
  for (const auto& [size, row] : inputs().at("chips").at("apple-m2-max").at("published").at("dgemm").items()) {
    const Index n = std::stol(size);
    shapes.push_back({n, n, n});
  }
  return shapes;
}

Json json_of(const Prediction& prediction) {
  Json json;
  json["model"] = prediction.chip.id;
  json["measured"] = false;
  json["op"] = word_of(prediction.operation);
  json["shape"] = text_of(prediction.shape);
  json["class"] = class_of(prediction);
  json["moduli"] = prediction.moduli;
  json["slots_per_multiply_add"] = prediction.slots;
  json["ceiling_gflops"] = prediction.ceiling_gflops;
  json["product_ms"] = prediction.product_ms;
  json["memory_ms"] = prediction.memory_ms;
  json["model_gflops"] = prediction.gflops;
  json["published_1_5_1_gflops"] = prediction.published ? Json(*prediction.published) : Json(nullptr);
  json["published_accelerate_gflops"] = prediction.published_host ? Json(*prediction.published_host) : Json(nullptr);
  json["cores"] = prediction.chip.cores;
  json["clock_mhz"] = prediction.chip.clock_mhz;
  json["bandwidth_gb_s"] = prediction.chip.bandwidth_gb_s;
  json["sources"] = prediction.chip.source;
  json["read"] = inputs().at("read");
  return json;
}

std::string text_of(const std::vector<Prediction>& predictions) {
  Table table(
      {"op", "shape", "class", "slots", "ceiling", "product ms", "other ms", "model GFLOP/s", "1.5.1 published", "Accelerate published"});
  for (const Prediction& row : predictions) {
    table.add({word_of(row.operation), text_of(row.shape), class_of(row), fmt::format("{:.2f}", row.slots),
               fmt::format("{:.0f}", row.ceiling_gflops), fmt::format("{:.3f}", row.product_ms), fmt::format("{:.3f}", row.memory_ms),
               fmt::format("{:.0f}", row.gflops), number(row.published), number(row.published_host)});
  }
  return head_of(predictions.at(0).chip) + table.text();
}

std::string svg_of(const std::vector<Prediction>& predictions) {
  static constexpr const char* colours[] = {"#2f6fb3", "#d9822b", "#8a8f98", "#10355e", "#3f9b57", "#a5478f", "#58a9e8", "#b8a21a"};
  std::vector<Line> lines;
  const auto add = [&](const std::string& name, double width, const Prediction& at, double gflops) {
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& other) { return other.name == name; });
    if (line == lines.end()) line = lines.insert(lines.end(), Line{name, colours[lines.size() % std::size(colours)], width, {}});
    const double volume = static_cast<double>(at.shape.m) * static_cast<double>(at.shape.n) * static_cast<double>(at.shape.k);
    line->points.push_back({std::cbrt(volume), gflops, text_of(at.shape)});
  };
  for (const Prediction& row : predictions) {
    const std::string operation = word_of(row.operation);
    add(fmt::format("{} {}, model", operation, class_of(row)), 2.5, row, row.gflops);
    if (row.published) add(operation + " of apple-bottom 1.5.1, published", 1.5, row, *row.published);
    if (&row == first_with_host(predictions, row)) add(operation + " of Accelerate, published", 1.5, row, *row.published_host);
  }
  return line_chart("MODEL of " + predictions.at(0).chip.name + ", not measured", lines);
}

}  // namespace ab::cli
