// SPDX-License-Identifier: MIT
// Where does the time of a product go, on the cpu device or (AB_DEVICE=cuda, vulkan) on the first of a kind? Medians of each kernel's
// launches and of the rest, for one shape. On AMX, of the runs that had the core's matrix unit to themselves, when there are any; the int8
// rate is that of the calling thread's core. usage: product_stages d|z M N K [RUNS]     (AB_CPU_KERNELS and AB_NUM_THREADS as everywhere)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/settings.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/vulkan/vulkan_device.hpp"
#include "matrix_rate.hpp"
#include "ops/gemm.hpp"
#include "ops/open_device.hpp"
#include "samples.hpp"

namespace {

using namespace ab;
using Clock = std::chrono::steady_clock;
using Stages = std::map<std::string, double>;  // seconds of one run

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct NamedKernel final : device::Kernel {
  std::string name;
  std::unique_ptr<device::Kernel> kernel;
};

class TimedQueue final : public device::Queue {
 public:
  TimedQueue(std::unique_ptr<device::Queue> queue, Stages& stages) : queue_(std::move(queue)), stages_(stages) {}
  void write(device::Memory& to, std::size_t offset, std::span<const std::byte> from) override {
    const auto start = Clock::now();
    queue_->write(to, offset, from);
    stages_["write"] += since(start);
  }
  void read(const device::Memory& from, std::size_t offset, std::span<std::byte> to) override {
    const auto start = Clock::now();
    queue_->read(from, offset, to);
    stages_["read"] += since(start);
  }
  void copy(const device::Slice& from, const device::Slice& to, std::size_t bytes) override { queue_->copy(from, to, bytes); }
  void launch(const device::Kernel& kernel, device::Grid grid, std::span<const device::Argument> arguments) override {
    const auto& named = static_cast<const NamedKernel&>(kernel);
    queue_->finish();
    const auto start = Clock::now();
    queue_->launch(*named.kernel, grid, arguments);
    queue_->finish();
    // Scans and residues come for the left operand first.
    const std::string name = stages_.contains(named.name) ? named.name + " (2)" : named.name;
    stages_[name] += since(start);
  }
  void finish() override { queue_->finish(); }

 private:
  std::unique_ptr<device::Queue> queue_;
  Stages& stages_;
};

std::unique_ptr<device::Device> open_device() {
  const std::string& device = settings().device;
  return device.starts_with("cuda") ? device::open_cuda(0) : device.starts_with("vulkan") ? device::open_vulkan(0) : device::open_cpu();
}

class TimedDevice final : public device::Device {
 public:
  explicit TimedDevice(Stages& stages) : device_(open_device()), stages_(stages) {}
  const device::Traits& traits() const override { return device_->traits(); }
  std::unique_ptr<device::Memory> allocate(std::size_t bytes) override { return device_->allocate(bytes); }
  std::unique_ptr<device::Memory> adopt(std::span<std::byte> host) override { return device_->adopt(host); }
  std::unique_ptr<device::Kernel> load(const device::KernelName& name) override {
    auto named = std::make_unique<NamedKernel>();
    named->name = name.name;
    named->kernel = device_->load(name);
    return named;
  }
  std::unique_ptr<device::Queue> open_queue() override { return std::make_unique<TimedQueue>(device_->open_queue(), stages_); }

 private:
  std::unique_ptr<device::Device> device_;
  Stages& stages_;
};

// Medians of the runs that count, largest first.
void print(const std::vector<Stages>& all, const std::vector<cli::Sample>& totals, double flops) {
  const double highest = cli::highest_rate(totals);
  std::vector<std::size_t> counted;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i].rates && cli::classify(*totals[i].rates, highest) == cli::Sharing::Unshared) counted.push_back(i);
  }
  if (totals[0].rates) std::printf("  %zu of %zu runs unshared, %.2f TOPS at most\n", counted.size(), totals.size(), highest);
  if (counted.empty()) {
    for (std::size_t i = 0; i < totals.size(); ++i) counted.push_back(i);
  }
  std::map<std::string, std::vector<double>> samples;
  for (const std::size_t i : counted) {
    for (const auto& [name, seconds] : all[i]) samples[name].push_back(seconds);
  }
  std::vector<std::pair<double, std::string>> lines;
  for (const auto& [name, times] : samples) lines.emplace_back(cli::median(times), name);
  std::sort(lines.rbegin(), lines.rend());
  const double total = lines[0].first;
  for (const auto& [seconds, name] : lines) std::printf("  %-22s %9.3f ms  %5.1f %%\n", name.c_str(), seconds * 1e3, seconds / total * 100);
  std::printf("  %.1f GFLOP/s\n", flops / total * 1e-9);
}

template <Scalar T>
int measure(Index m, Index n, Index k, int runs) {
  Stages stages;
  TimedDevice device(stages);
  ops::Context context(0, device, std::uint64_t{1} << (device.traits().unified_memory ? 31 : 35));
  std::mt19937_64 random(1);
  const auto values = [&](Index count) {
    std::vector<T> out(static_cast<std::size_t>(count));
    auto* words = reinterpret_cast<double*>(out.data());
    for (std::size_t i = 0; i < out.size() * sizeof(T) / 8; ++i) words[i] = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
    return out;
  };
  const std::vector<T> a = values(m * k), b = values(k * n);
  std::vector<T> c(static_cast<std::size_t>(m * n));
  const GemmProblem<T> problem{m, n, k, T(1), {a.data(), m, Op::None}, {b.data(), k, Op::None}, T(0), {c.data(), m}};
  std::vector<Stages> all;
  std::vector<cli::Sample> totals;
  for (int run = -2; run < runs; ++run) {
    const std::optional<double> before = cli::measure_matrix_rate();
    stages.clear();
    const auto start = Clock::now();
    const Outcome outcome = ops::gemm(context, problem, ops::Choices{});
    const double total = since(start);
    if (outcome.declined) return 1;
    if (run < 0) continue;
    stages["(rest)"] = total;
    for (const auto& [name, seconds] : stages) {
      if (name != "(rest)") stages["(rest)"] -= seconds;
    }
    stages["(total)"] = total;
    all.push_back(stages);
    const std::optional<double> after = before ? cli::measure_matrix_rate() : std::nullopt;
    totals.push_back({total, after ? std::optional<cli::MatrixRates>({*before, *after}) : std::nullopt});
  }
  const double flops = (sizeof(T) == 8 ? 2.0 : 8.0) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  std::printf("%s, %s: %ld x %ld x %ld\n", device.traits().name.c_str(), device.traits().features.c_str(), m, n, k);
  print(all, totals, flops);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 5) return std::fprintf(stderr, "usage: product_stages d|z M N K [RUNS]\n"), 2;
  const long m = std::atol(words[2]), n = std::atol(words[3]), k = std::atol(words[4]);
  const int runs = count > 5 ? std::atoi(words[5]) : 5;
  return words[1][0] == 'z' ? measure<ab::Complex>(m, n, k, runs) : measure<double>(m, n, k, runs);
}
