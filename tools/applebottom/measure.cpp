// SPDX-License-Identifier: MIT
#include "measure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "contenders.hpp"

namespace ab::cli {
namespace {

double seconds_of(Contender& contender) {
  const auto start = std::chrono::steady_clock::now();
  contender.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Side judged(const Workload& work, Contender& contender, const std::vector<double>& seconds, Entries entries) {
  const std::vector<double> c = contender.result();
  Side side;
  side.median_s = median(seconds);
  side.gflops = work.flops() / side.median_s * 1e-9;
  side.error_u = error_in_u(work, c, entries);
  side.checksum = checksum(c);
  return side;
}

ABProduct last_product() {
  ABProduct product = {};
  product.struct_size = sizeof product;
  ab_last_product(&product);
  return product;
}

/// The bound before the final rounding allows one more unit after it, and second-order terms.
bool within(const Side& side, double bound) {
  return side.error_u <= (bound + 1.0) * (1.0 + 0x1p-20);
}

std::string fault_of(const Measurement& measured, int device, bool bits_differ) {
  const ABProduct& product = measured.product;
  if (product.engine != AB_ENGINE_DEVICE || product.device != device || product.fallback_reason[0] != '\0') {
    return fmt::format("did not run on {}: {} {}", measured.device_id, product.route_reason, product.fallback_reason);
  }
  if (product.precision != measured.precision) return "ran in another class";
  if (bits_differ) return "two runs gave different bits";
  if (product.bound < 0) return "no certificate";
  if (!within(measured.device, product.bound)) {
    return fmt::format("error {:.3g} exceeds the certified bound {:.3g} plus rounding", measured.device.error_u, product.bound);
  }
  return "";
}

}  // namespace

void route_everything_to_the_device() {
  setenv("AB_MODE", "gpu", 1);
  setenv("AB_MIN_GPU_DIM", "0", 1);
  unsetenv("AB_DISABLE");
}

std::string hex(std::uint64_t checksum) {
  return fmt::format("{:016x}", checksum);
}

std::optional<double> Measurement::ratio() const {
  if (!host) return std::nullopt;
  return host->median_s / device.median_s;
}

Measurement measure(const Workload& work, int device, ABPrecision precision, const MeasureOptions& options) {
  use_device(device);
  if (ab_set_precision(precision) != AB_OK) throw Failure(Exit::WrongUsage, ab_last_error());
  const std::unique_ptr<Contender> host = options.with_host ? host_contender(work) : nullptr;
  const std::unique_ptr<Contender> ours = device_contender(work, options.front);
  std::vector<double> host_seconds, device_seconds;
  std::uint64_t first_bits = 0;
  for (int run = -options.warmup; run < options.runs; ++run) {
    const double host_s = host ? seconds_of(*host) : 0.0, device_s = seconds_of(*ours);
    if (run == -options.warmup) first_bits = checksum(ours->result());
    if (run < 0) continue;
    host_seconds.push_back(host_s);
    device_seconds.push_back(device_s);
  }
  Measurement measured;
  measured.product = last_product();
  measured.operation = work.operation;
  measured.shape = work.shape;
  measured.precision = precision;
  measured.device_id = device_traits(device).id;
  measured.device_name = device_traits(device).name;
  measured.options = options;
  measured.device = judged(work, *ours, device_seconds, options.entries);
  measured.device.name = measured.device_id;
  if (host) {
    measured.host = judged(work, *host, host_seconds, options.entries);
    measured.host->name = host_blas_name().value_or("");
  }
  measured.fault = fault_of(measured, device, first_bits != measured.device.checksum);
  return measured;
}

nlohmann::ordered_json json_of(const Measurement& measured) {
  const ABProduct& product = measured.product;
  nlohmann::ordered_json json;
  json["op"] = word_of(measured.operation);
  json["shape"] = text_of(measured.shape);
  json["m"] = measured.shape.m;
  json["n"] = measured.shape.n;
  json["k"] = measured.shape.k;
  json["class"] = ab::word_of(static_cast<Precision>(measured.precision));
  json["device"] = measured.device_id;
  json["device_name"] = measured.device_name;
  json["operands"] = measured.options.front == Front::Resident ? "resident" : "host";
  json["runs"] = measured.options.runs;
  json["warmup"] = measured.options.warmup;
  json["host_blas"] = measured.host ? nlohmann::ordered_json(measured.host->name) : nullptr;
  json["host_median_s"] = measured.host ? nlohmann::ordered_json(measured.host->median_s) : nullptr;
  json["host_gflops"] = measured.host ? nlohmann::ordered_json(measured.host->gflops) : nullptr;
  json["host_error_u"] = measured.host ? nlohmann::ordered_json(measured.host->error_u) : nullptr;
  json["device_median_s"] = measured.device.median_s;
  json["device_gflops"] = measured.device.gflops;
  json["device_error_u"] = measured.device.error_u;
  json["ratio"] = measured.ratio() ? nlohmann::ordered_json(*measured.ratio()) : nullptr;
  json["bound_u"] = product.bound < 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(product.bound);
  json["scheme"] = ab::word_of(static_cast<Scheme>(product.scheme));
  json["moduli"] = product.moduli;
  json["guard"] = product.guard;
  json["escalations"] = product.escalations;
  json["complex_form"] = product.complex_form;
  json["bits"] = hex(measured.device.checksum);
  json["fault"] = measured.fault;
  return json;
}

}  // namespace ab::cli
