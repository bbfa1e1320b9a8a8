// SPDX-License-Identifier: MIT
#include "measure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>

#include "contenders.hpp"
#include "matrix_rate.hpp"

namespace ab::cli {
namespace {

double seconds_of(Contender& contender) {
  contender.make_ready();
  const auto start = std::chrono::steady_clock::now();
  contender.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Sample timed(Contender& contender, MatrixProbe probe) {
  if (probe == MatrixProbe::Off) return {seconds_of(contender), std::nullopt};
  const std::optional<double> before = measure_matrix_rate();
  const double seconds = seconds_of(contender);
  if (!before) return {seconds, std::nullopt};
  return {seconds, MatrixRates{*before, measure_matrix_rate().value_or(0.0)}};
}

struct Entrant {
  std::unique_ptr<Contender> contender;
  Side* side;  // where its numbers go
};

void judge(const Workload& work, const Entrant& entrant, Entries entries) {
  const std::vector<double> c = entrant.contender->result();
  Side& side = *entrant.side;
  side.median_s = median_seconds(side.samples);
  side.gflops = work.flops() / side.median_s * 1e-9;
  side.error_u = error_in_u(work, c, entries);
  side.checksum = checksum(c);
}

constexpr Index substituted = 64;  // unknowns that are solved without products

bool has_products(const Workload& work) {
  return !work.is_solve() || work.shape.m > substituted;
}

bool by_vendor(const Measurement& measured) {
  return measured.options.method == Method::Vendor;
}

// What the last run says of itself. Substitution alone is no product, and handles then say nothing; nor does what went by no route.
ABProduct product_of(const Workload& work, const Measurement& measured, int device) {
  ABProduct product = {};
  product.struct_size = sizeof product;
  ab_last_product(&product);
  if (has_products(work) && !by_vendor(measured)) return product;
  return {.struct_size = sizeof product,
          .precision = measured.precision,
          .scheme = by_vendor(measured) ? AB_SCHEME_VENDOR : AB_SCHEME_IEEE,
          .engine = AB_ENGINE_DEVICE,
          .device = device,
          .moduli = 0,
          .escalations = 0,
          .guard = -1,
          .complex_form = 0,
          .bound = -1,
          .route_reason = "",
          .fallback_reason = ""};
}

// What docs/numerics.md 1.3 allows. The bound before the final rounding allows one more unit after it, and second-order terms. A row
// of a solve takes part in some products, and in a substitution with a rounding for each subtraction, in units of |A||C| + |B|, at
// most about twice |A||C|. Of the vendor's sums, twice what K terms (2 K of a complex one) allow, as for whatever has no certificate.
double allowed_error(const Workload& work, const Measurement& measured) {
  const double conventional = 2.0 * static_cast<double>(measured.shape.k) * work.parts(), slack = 1.0 + 0x1p-20;
  const double bound = by_vendor(measured) ? conventional : measured.product.bound;
  if (measured.operation != Operation::Dtrsm) return (bound + 1.0) * slack;
  const auto products = static_cast<double>(std::bit_width(static_cast<std::uint64_t>((measured.shape.m - 1) / substituted)));
  return (products * std::max(bound, 0.0) + 2.0 * (substituted + products + 2.0)) * slack;
}

std::string fault_of(const Workload& work, const Measurement& measured, int device, bool bits_differ) {
  const ABProduct& product = measured.product;
  if (product.engine != AB_ENGINE_DEVICE || product.device != device || product.fallback_reason[0] != '\0') {
    return fmt::format("did not run on {}: {} {}", measured.device_id, product.route_reason, product.fallback_reason);
  }
  if (product.precision != measured.precision) return "ran in another class";
  if (bits_differ && !by_vendor(measured)) return "two runs gave different bits";
  if (product.bound < 0 && has_products(work) && !by_vendor(measured)) return "no certificate";
  const double allowed = allowed_error(work, measured);
  if (measured.device.error_u > allowed)
    return fmt::format("error {:.3g} exceeds {:.3g}, rounding included", measured.device.error_u, allowed);
  return "";
}

Measurement blank_measurement(const Workload& work, int device, ABPrecision precision, const MeasureOptions& options) {
  Measurement measured;
  measured.operation = work.operation;
  measured.ops = work.ops;
  measured.shape = work.shape;
  measured.precision = precision;
  measured.device_id = device_traits(device).id;
  measured.device_name = device_traits(device).name;
  measured.options = options;
  measured.device.name = measured.device_id;
  return measured;
}

/// In the order of their turns; their numbers go into `measured`, which must stay where it is.
std::vector<Entrant> entrants_of(const Workload& work, Measurement& measured) {
  const MeasureOptions& options = measured.options;
  std::vector<Entrant> entrants;
  if (auto host = options.with_host ? host_contender(work) : nullptr) {
    measured.host = Side{};
    measured.host->name = host_blas_name().value_or("");
    entrants.push_back({std::move(host), &*measured.host});
  }
  entrants.push_back({by_vendor(measured) ? vendor_contender(work) : device_contender(work, options.front), &measured.device});
  measured.peers.resize(options.peers.size());
  for (std::size_t i = 0; i < options.peers.size(); ++i) {
    measured.peers[i].name = options.peers[i].name;
    entrants.push_back({library_contender(options.peers[i].library, work), &measured.peers[i]});
  }
  return entrants;
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

std::vector<const Side*> Measurement::sides() const {
  std::vector<const Side*> all = {&device};
  if (host) all.push_back(&*host);
  for (const Side& peer : peers) all.push_back(&peer);
  return all;
}

Measurement measure(const Workload& work, int device, ABPrecision precision, const MeasureOptions& options) {
  use_device(device);
  if (ab_set_precision(precision) != AB_OK) throw Failure(Exit::WrongUsage, ab_last_error());
  Measurement measured = blank_measurement(work, device, precision, options);
  const std::vector<Entrant> entrants = entrants_of(work, measured);
  std::uint64_t first_bits = 0;
  for (int run = -options.warmup; run < options.runs; ++run) {
    for (const Entrant& entrant : entrants) {
      const Sample sample = timed(*entrant.contender, options.probe);
      if (run >= 0) entrant.side->samples.push_back(sample);
      if (entrant.side == &measured.device && run == -options.warmup) first_bits = checksum(entrant.contender->result());
    }
  }
  measured.product = product_of(work, measured, device);
  for (const Entrant& entrant : entrants) judge(work, entrant, options.entries);
  measured.fault = fault_of(work, measured, device, first_bits != measured.device.checksum);
  return measured;
}

}  // namespace ab::cli
