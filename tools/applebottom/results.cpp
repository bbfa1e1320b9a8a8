// SPDX-License-Identifier: MIT
#include "results.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "contenders.hpp"
#include "core/arguments.hpp"
#include "table.hpp"

namespace ab::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Sharing all_kinds[] = {Sharing::Unshared, Sharing::Mixed, Sharing::Shared};

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<double> median_of(const Side& side, Sharing sharing, double highest) {
  const std::vector<double> seconds = seconds_of(side.samples, sharing, highest);
  if (seconds.empty()) return std::nullopt;
  return median(seconds);
}

/// Time of the side / time of the device, both of samples of one kind.
std::optional<double> ratio_of(const Measurement& measured, const Side& side, Sharing sharing, double highest) {
  const std::optional<double> theirs = median_of(side, sharing, highest), ours = median_of(measured.device, sharing, highest);
  if (!theirs || !ours) return std::nullopt;
  return *theirs / *ours;
}

std::optional<double> gflops_of(const Side& side, Sharing sharing, double highest) {
  const std::optional<double> seconds = median_of(side, sharing, highest);
  if (!seconds) return std::nullopt;
  return side.gflops * side.median_s / *seconds;
}

Json matrix_json(const Measurement& measured, const Side& side, double highest) {
  const std::optional<double> tops = median_rate(side.samples);
  if (!tops) return nullptr;
  Json json;
  json["median_tops"] = *tops;
  for (Sharing sharing : all_kinds) {
    Json& kind = json[word_of(sharing)];
    kind["samples"] = seconds_of(side.samples, sharing, highest).size();
    kind["median_s"] = number_or_null(median_of(side, sharing, highest));
    kind["gflops"] = number_or_null(gflops_of(side, sharing, highest));
    if (&side != &measured.device) kind["ratio"] = number_or_null(ratio_of(measured, side, sharing, highest));
  }
  return json;
}

double ratio_of(const Measurement& measured, const Side& side) {
  return side.median_s / measured.device.median_s;
}

Json peers_json(const Measurement& measured, double highest) {
  Json all = Json::array();
  for (std::size_t i = 0; i < measured.peers.size(); ++i) {
    const Peer& peer = measured.options.peers[i];
    const Side& side = measured.peers[i];
    Json json;
    json["name"] = peer.name;
    json["file"] = peer.file;
    json["version"] = peer.library.version;
    json["kernel"] = peer.kernel;
    json["threads"] = peer.threads ? Json(*peer.threads) : Json(nullptr);
    json["median_s"] = side.median_s;
    json["gflops"] = side.gflops;
    json["error_u"] = side.error_u;
    json["ratio"] = ratio_of(measured, side);
    json["matrix"] = matrix_json(measured, side, highest);
    all.push_back(json);
  }
  return all;
}

std::string cell_of(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

std::string class_of(const Measurement& measured) {
  return ab::word_of(static_cast<Precision>(measured.precision));
}

std::string main_table(const std::vector<Measurement>& measurements) {
  Table table({"op", "shape", "class", "device", "host ms", "device ms", "ratio", "host GFLOP/s", "GFLOP/s", "host error/(u|A||B|)",
               "error/(u|A||B|)", "certified", "moduli", "bits"});
  for (const Measurement& measured : measurements) {
    const auto host = [&](double Side::*member) { return measured.host ? std::optional(*measured.host.*member) : std::nullopt; };
    const std::optional<double> host_s = host(&Side::median_s);
    table.add({measured.label(), text_of(measured.shape), class_of(measured), measured.device_id,
               host_s ? fmt::format("{:.3f}", *host_s * 1e3) : "-", fmt::format("{:.3f}", measured.device.median_s * 1e3),
               cell_of(measured.ratio(), "{:.2f}"), cell_of(host(&Side::gflops), "{:.1f}"), fmt::format("{:.1f}", measured.device.gflops),
               cell_of(host(&Side::error_u), "{:.3g}"), fmt::format("{:.3g}", measured.device.error_u),
               measured.product.bound < 0 ? "-" : fmt::format("{:.4g}", measured.product.bound), fmt::format("{}", measured.product.moduli),
               hex(measured.device.checksum)});
  }
  return table.text();
}

std::string peer_table(const std::vector<Measurement>& measurements) {
  Table table({"op", "shape", "class", "device", "peer", "peer ms", "peer GFLOP/s", "peer error/(u|A||B|)", "ratio"});
  for (const Measurement& measured : measurements) {
    for (const Side& peer : measured.peers) {
      table.add({measured.label(), text_of(measured.shape), class_of(measured), measured.device_id, peer.name,
                 fmt::format("{:.3f}", peer.median_s * 1e3), fmt::format("{:.1f}", peer.gflops), fmt::format("{:.3g}", peer.error_u),
                 fmt::format("{:.2f}", ratio_of(measured, peer))});
    }
  }
  return "\npeers: ratio = peer time / device time\n" + table.text();
}

void add_matrix_row(Table& table, const Measurement& measured, const Side& side, double highest) {
  std::vector<std::string> row = {measured.label(),
                                  text_of(measured.shape),
                                  class_of(measured),
                                  side.name,
                                  cell_of(median_rate(side.samples), "{:.2f}"),
                                  fmt::format("{:.1f}", side.gflops)};
  const bool is_device = &side == &measured.device;
  row.push_back(is_device ? "-" : fmt::format("{:.2f}", ratio_of(measured, side)));
  for (Sharing sharing : {Sharing::Unshared, Sharing::Shared}) {
    row.push_back(fmt::format("{}", seconds_of(side.samples, sharing, highest).size()));
    row.push_back(cell_of(gflops_of(side, sharing, highest), "{:.1f}"));
    row.push_back(is_device ? "-" : cell_of(ratio_of(measured, side, sharing, highest), "{:.2f}"));
  }
  row.push_back(fmt::format("{}", seconds_of(side.samples, Sharing::Mixed, highest).size()));
  table.add(row);
}

std::string matrix_table(const std::vector<Measurement>& measurements, double highest) {
  Table table({"op", "shape", "class", "contender", "int8 TOPS", "GFLOP/s", "ratio", "unshared runs", "GFLOP/s", "ratio", "shared runs",
               "GFLOP/s", "ratio", "mixed runs"});
  for (const Measurement& measured : measurements) {
    for (const Side* side : measured.sides()) add_matrix_row(table, measured, *side, highest);
  }
  return fmt::format(
             "\nmatrix unit: int8 rate of one core beside each run, {:.2f} TOPS at most; unshared: at least 0.8 of that, shared: at "
             "most 0.5\n",
             highest) +
         table.text();
}

/// Text in quotes, its own quotes doubled (RFC 4180).
std::string field_of(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  std::string field = "\"";
  for (char c : value.get<std::string>()) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

}  // namespace

Json json_of(const Measurement& measured, double highest_tops) {
  const ABProduct& product = measured.product;
  const std::optional<Side>& host = measured.host;
  Json json;
  json["op"] = word_of(measured.operation);
  json["shape"] = text_of(measured.shape);
  json["m"] = measured.shape.m;
  json["n"] = measured.shape.n;
  json["k"] = measured.shape.k;
  json["transa"] = std::string(1, letter_of(measured.ops.a));
  json["transb"] = std::string(1, letter_of(measured.ops.b));
  json["class"] = class_of(measured);
  json["device"] = measured.device_id;
  json["device_name"] = measured.device_name;
  constexpr const char* words[] = {"host", "resident", "fresh"};
  json["operands"] = words[static_cast<std::size_t>(measured.options.front)];
  json["runs"] = measured.options.runs;
  json["warmup"] = measured.options.warmup;
  json["host_blas"] = host ? Json(host->name) : Json(nullptr);
  json["host_median_s"] = host ? Json(host->median_s) : Json(nullptr);
  json["host_gflops"] = host ? Json(host->gflops) : Json(nullptr);
  json["host_error_u"] = host ? Json(host->error_u) : Json(nullptr);
  json["device_median_s"] = measured.device.median_s;
  json["device_gflops"] = measured.device.gflops;
  json["device_error_u"] = measured.device.error_u;
  json["ratio"] = number_or_null(measured.ratio());
  json["bound_u"] = product.bound < 0 ? Json(nullptr) : Json(product.bound);
  json["scheme"] = ab::word_of(static_cast<Scheme>(product.scheme));
  json["moduli"] = product.moduli;
  json["guard"] = product.guard;
  json["escalations"] = product.escalations;
  json["complex_form"] = product.complex_form;
  json["bits"] = hex(measured.device.checksum);
  json["fault"] = measured.fault;
  json["peers"] = peers_json(measured, highest_tops);
  json["matrix_highest_tops"] = median_rate(measured.device.samples) ? Json(highest_tops) : Json(nullptr);
  json["host_matrix"] = host ? matrix_json(measured, *host, highest_tops) : Json(nullptr);
  json["device_matrix"] = matrix_json(measured, measured.device, highest_tops);
  return json;
}

double highest_rate(const std::vector<Measurement>& measurements) {
  double highest = 0;
  for (const Measurement& measured : measurements) {
    for (const Side* side : measured.sides()) highest = std::max(highest, highest_rate(side->samples));
  }
  return highest;
}

std::string head_of(const Setup& setup, const MeasureOptions& options) {
  std::string text = fmt::format("apple-bottom {}, {}, {} thread{}, {}\n", setup.library_version, setup.cpu, setup.threads,
                                 setup.threads == 1 ? "" : "s", setup.date);
  std::string set;
  for (const auto& [name, value] : setup.environment) set += " " + name + "=" + value;
  text += "environment:" + (set.empty() ? " no thread counts set" : set) + "\n";
  text += "data: " + setup.data + "\n";
  if (options.with_host) text += "host BLAS: " + host_blas_name().value_or("none found") + "\n";
  for (const Peer& peer : options.peers) {
    text += fmt::format("peer {}: {}", peer.name, peer.file);
    if (!peer.library.version.empty()) text += ", " + peer.library.version;
    if (!peer.kernel.empty()) text += ", kernels for " + peer.kernel;
    if (peer.threads) text += fmt::format(", threads: {}", *peer.threads);
    text += "\n";
  }
  return text + "\n";
}

std::string tables_of(const std::vector<Measurement>& measurements) {
  std::string text = main_table(measurements);
  if (!measurements.empty() && !measurements[0].peers.empty()) text += peer_table(measurements);
  const double highest = highest_rate(measurements);
  if (highest > 0) text += matrix_table(measurements, highest);
  return text;
}

std::string csv_of(const std::vector<Json>& objects) {
  std::string text;
  for (const Json& json : objects) {
    const Json flat = json.flatten();
    std::string names, values;
    for (const auto& [pointer, value] : flat.items()) {  // "/peers/0/file" becomes "peers.0.file"
      std::string name = pointer.substr(1);
      std::replace(name.begin(), name.end(), '/', '.');
      names += (names.empty() ? "" : ",") + name;
      values += (values.empty() ? "" : ",") + field_of(value);
    }
    if (text.empty()) text = names + "\n";
    text += values + "\n";
  }
  return text;
}

}  // namespace ab::cli
