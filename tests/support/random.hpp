// SPDX-License-Identifier: MIT
// The tests' own generator: splitmix64, no libm, the same numbers on every machine.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace ab::test {

class Random {
 public:
  explicit Random(std::uint64_t start) : state_(start) {}

  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  std::uint64_t below(std::uint64_t n) { return bits() % n; }

  /// In (-1, 1), 53 significant bits whatever the size.
  double uniform() {
    const int size = std::countl_zero(bits());
    const std::uint64_t r = bits();
    const double magnitude = std::ldexp(static_cast<double>((r >> 12) + (std::uint64_t{1} << 52)), -(53 + size));
    return (r & 1) != 0 ? magnitude : -magnitude;
  }
  /// Nearly normal: twelve uniforms, variance 1.
  double normal() {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum / 2.0;
  }
  /// A uniform number times a power of two of normal exponent.
  double tail(double spread) {
    const double x = uniform();
    return std::ldexp(x, static_cast<int>(std::nearbyint(normal() * spread)));
  }

 private:
  std::uint64_t state_;
};

}  // namespace ab::test
