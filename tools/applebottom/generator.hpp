// SPDX-License-Identifier: MIT
// Random numbers of our own: the same words on every machine.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace ab::cli {

class Generator {  // splitmix64
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  /// Uniform in (-0.5, 0.5), all 53 bits of the significand in use whatever the size; never 0.
  double uniform() {
    const int halvings = std::countl_zero(bits() | 1);
    const std::uint64_t random = bits();
    const double magnitude = std::ldexp(static_cast<double>((random >> 12) + (std::uint64_t{1} << 52)), -54 - halvings);
    return (random & 1) != 0 ? magnitude : -magnitude;
  }

  /// Of least, ..., most, which are less than 2^32 apart.
  std::int64_t integer(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(most - least + 1));
  }

  double normal() {  // Box and Muller
    const double u = std::fabs(uniform()) * 2, angle = uniform() * 6.283185307179586;
    return std::sqrt(-2 * std::log(u)) * std::cos(angle);
  }

 private:
  std::uint64_t state_;
};

}  // namespace ab::cli
