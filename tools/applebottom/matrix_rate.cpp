// SPDX-License-Identifier: MIT
#include "matrix_rate.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "device/cpu/native/permission.hpp"

namespace ab::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct __attribute__((packed)) TileConfiguration {
  std::uint8_t palette, start_row;
  std::uint8_t reserved[14];
  std::uint16_t row_bytes[16];
  std::uint8_t rows[16];
};

/// The calling thread's tiles, 16 rows of 64 bytes each.
class Tiles {
 public:
  Tiles() {
    alignas(64) static constexpr TileConfiguration all_16x64 = {
        1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
    _tile_loadconfig(&all_16x64);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  ~Tiles() { _tile_release(); }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;
};

constexpr int tile_bytes = 16 * 64;
constexpr double operations_per_step = 4.0 * 2 * 16 * 16 * 64;

/// Operands of a step, as a product's inner loop has them: two tiles of either side, in the first-level cache.
struct alignas(64) Operands {
  std::int8_t tiles[4][tile_bytes];
  Operands() {
    int next = 1;
    for (auto& tile : tiles) {
      for (std::int8_t& entry : tile) {
        next = next * 37 % 251;
        entry = static_cast<std::int8_t>(next - 125);
      }
    }
  }
};

double seconds_of(const Operands& operands, int steps) {
  const auto start = Clock::now();
  for (int step = 0; step < steps; ++step) {
    _tile_loadd(4, operands.tiles[0], 64);
    _tile_loadd(6, operands.tiles[2], 64);
    _tile_dpbssd(0, 4, 6);
    _tile_loadd(7, operands.tiles[3], 64);
    _tile_dpbssd(1, 4, 7);
    _tile_loadd(5, operands.tiles[1], 64);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

std::optional<double> measure_matrix_rate() {
  if (!device::native::may_use_amx()) return std::nullopt;
  constexpr int burst_steps = 4096;  // chosen: 0.1 ms at full rate
  static const Operands operands;
  const Tiles tiles;
  // After idling, or code without tiles, the unit takes about 0.3 ms to reach its rate (measured on an Emerald Rapids Xeon).
  const auto warm = Clock::now() + std::chrono::microseconds(500);
  while (Clock::now() < warm) seconds_of(operands, burst_steps / 16);
  double bursts[5];
  for (double& burst : bursts) burst = seconds_of(operands, burst_steps);
  std::nth_element(bursts, bursts + 2, bursts + 5);
  return operations_per_step * burst_steps / bursts[2] * 1e-12;
}

}  // namespace ab::cli

#else

namespace ab::cli {

std::optional<double> measure_matrix_rate() {
  return std::nullopt;
}

}  // namespace ab::cli

#endif
