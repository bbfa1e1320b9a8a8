// SPDX-License-Identifier: MIT
// Sums of products of doubles, exact over the whole range of FP64: the reference of `verify`.
#pragma once
#include <array>
#include <cstdint>

namespace ab::cli {

/// A nonnegative number as fraction * 2^exponent, fraction in [1, 2) or 0: ratios beyond the range of a double.
struct Magnitude {
  double fraction = 0;
  int exponent = 0;

  bool is_zero() const { return fraction == 0; }
  /// this / other, as a double; other is not zero.
  double over(const Magnitude& other) const;
  bool operator<=(const Magnitude& other) const;
};

/// A fixed-point number from 2^-2148 to beyond 2^2112, in two's complement. Good for 2^60 additions.
class ExactSum {
 public:
  void add_product(double x, double y);  // both finite
  void subtract_product(double x, double y) { add_product(-x, y); }
  /// |sum|, rounded down to a double's significand.
  Magnitude magnitude() const;

 private:
  static constexpr int words = 70, lowest = -2148;  // 2^lowest is the unit: the square of the smallest double's
  void add(std::uint64_t low, std::uint64_t high, int bit, bool negative);

  std::array<std::uint64_t, words> digits_{};
};

}  // namespace ab::cli
