// SPDX-License-Identifier: MIT
#include "report/statistics.hpp"

#include <atomic>
#include <cinttypes>
#include <cstdio>

namespace ab::report {
namespace {

// Times are kept in whole nanoseconds, so that concurrent additions need no loop and the sum does not depend on their order.
constinit std::atomic<std::uint64_t> upload_ns{0};
constinit std::atomic<std::uint64_t> download_ns{0};
constinit std::atomic<std::uint64_t> kernel_ns{0};
constinit std::atomic<std::uint64_t> real_products{0};
constinit std::atomic<std::uint64_t> complex_products{0};
constinit std::atomic<std::uint64_t> elements_moved{0};

constexpr double ns_per_ms = 1e6;

void add_ms(std::atomic<std::uint64_t>& total_ns, double elapsed_ms) {
  if (elapsed_ms > 0) total_ns.fetch_add(static_cast<std::uint64_t>(elapsed_ms * ns_per_ms + 0.5), std::memory_order_relaxed);
}

double as_ms(const std::atomic<std::uint64_t>& total_ns) {
  return static_cast<double>(total_ns.load(std::memory_order_relaxed)) / ns_per_ms;
}

}  // namespace

void count_product(ProductKind kind, double elapsed_ms) noexcept {
  (kind == ProductKind::Real ? real_products : complex_products).fetch_add(1, std::memory_order_relaxed);
  add_ms(kernel_ns, elapsed_ms);
}

void count_transfer(Index elements, double elapsed_ms, Direction direction) noexcept {
  elements_moved.fetch_add(static_cast<std::uint64_t>(elements), std::memory_order_relaxed);
  add_ms(direction == Direction::Upload ? upload_ns : download_ns, elapsed_ms);
}

Statistics statistics() noexcept {
  return {.upload_time_ms = as_ms(upload_ns),
          .download_time_ms = as_ms(download_ns),
          .kernel_time_ms = as_ms(kernel_ns),
          .dgemm_count = real_products.load(std::memory_order_relaxed),
          .zgemm_count = complex_products.load(std::memory_order_relaxed),
          .elements_converted = elements_moved.load(std::memory_order_relaxed)};
}

void reset_statistics() noexcept {
  for (std::atomic<std::uint64_t>* counter : {&upload_ns, &download_ns, &kernel_ns, &real_products, &complex_products, &elements_moved}) {
    counter->store(0, std::memory_order_relaxed);
  }
}

void print_statistics() noexcept {
  const Statistics now = statistics();
  std::fprintf(stderr,
               "upload_time_ms      %.3f\n"
               "download_time_ms    %.3f\n"
               "kernel_time_ms      %.3f\n"
               "dgemm_count         %" PRIu64
               "\n"
               "zgemm_count         %" PRIu64
               "\n"
               "elements_converted  %" PRIu64 "\n",
               now.upload_time_ms, now.download_time_ms, now.kernel_time_ms, now.dgemm_count, now.zgemm_count, now.elements_converted);
}

}  // namespace ab::report
