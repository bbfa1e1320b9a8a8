// SPDX-License-Identifier: MIT
// Process-wide counters behind ab_get_stats (spec 2.10): products and transfers that completed on a device, whatever the front.
#pragma once
#include <cstdint>

#include "core/types.hpp"

namespace ab::report {

enum class ProductKind { Real, Complex };
enum class Direction { Upload, Download };

struct Statistics {  // the fields of ABStats, in their order
  double upload_time_ms = 0;
  double download_time_ms = 0;
  double kernel_time_ms = 0;
  std::uint64_t dgemm_count = 0;
  std::uint64_t zgemm_count = 0;
  std::uint64_t elements_converted = 0;
};

/// Counts one product that completed and succeeded on a device; elapsed_ms from submission to completion.
void count_product(ProductKind kind, double elapsed_ms) noexcept;

/// Counts `elements` doubles moved between host and device memory.
void count_transfer(Index elements, double elapsed_ms, Direction direction) noexcept;

/// The counters now. Each is exact; together they are a snapshot only while nothing runs.
Statistics statistics() noexcept;

void reset_statistics() noexcept;

/// Six lines on stderr: name and value of each field, times with three decimals.
void print_statistics() noexcept;

}  // namespace ab::report
