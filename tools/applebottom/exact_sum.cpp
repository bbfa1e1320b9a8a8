// SPDX-License-Identifier: MIT
#include "exact_sum.hpp"

#include <bit>
#include <cmath>

namespace ab::cli {
namespace {

__extension__ using Wide = unsigned __int128;

struct Parts {
  std::uint64_t significand;  // an integer below 2^53
  int exponent;               // of its unit
};

Parts parts_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int field = static_cast<int>((bits >> 52) & 0x7FF);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  return field == 0 ? Parts{fraction, -1074} : Parts{fraction | (std::uint64_t{1} << 52), field - 1075};
}

}  // namespace

double Magnitude::over(const Magnitude& other) const {
  return std::ldexp(fraction / other.fraction, exponent - other.exponent);
}

bool Magnitude::operator<=(const Magnitude& other) const {
  if (is_zero() || other.is_zero()) return is_zero();
  return exponent != other.exponent ? exponent < other.exponent : fraction <= other.fraction;
}

void ExactSum::add_product(double x, double y) {
  const Parts a = parts_of(x), b = parts_of(y);
  const Wide product = Wide{a.significand} * b.significand;  // below 2^106
  if (product == 0) return;
  const int bit = a.exponent + b.exponent - lowest;
  add(static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64), bit, std::signbit(x) != std::signbit(y));
}

void ExactSum::add(std::uint64_t low, std::uint64_t high, int bit, bool negative) {
  const int shift = bit % 64;
  auto word = static_cast<std::size_t>(bit / 64);
  const std::uint64_t pieces[3] = {low << shift, shift == 0 ? high : (high << shift) | (low >> (64 - shift)),
                                   shift == 0 ? 0 : high >> (64 - shift)};
  std::uint64_t carry = 0;
  for (int i = 0; word < digits_.size() && (i < 3 || carry != 0); ++i, ++word) {
    const std::uint64_t piece = i < 3 ? pieces[i] : 0, before = digits_[word];
    if (negative) {
      digits_[word] = before - piece - carry;
      carry = before < piece || (before == piece && carry != 0) ? 1 : 0;
    } else {
      digits_[word] = before + piece + carry;
      carry = digits_[word] < before || (digits_[word] == before && carry != 0 && piece != 0) ? 1 : 0;
    }
  }
}

Magnitude ExactSum::magnitude() const {
  std::array<std::uint64_t, words> digits = digits_;
  if ((digits.back() >> 63) != 0) {  // negative: its two's complement
    std::uint64_t carry = 1;
    for (std::uint64_t& digit : digits) {
      digit = ~digit + carry;
      carry = digit == 0 && carry != 0 ? 1 : 0;
    }
  }
  int top = words - 1;
  while (top >= 0 && digits[static_cast<std::size_t>(top)] == 0) --top;
  if (top < 0) return {};
  const auto at = [&](int word) { return word < 0 ? 0 : digits[static_cast<std::size_t>(word)]; };
  const int zeros = std::countl_zero(at(top));
  std::uint64_t leading = at(top) << zeros;
  if (zeros > 0) leading |= at(top - 1) >> (64 - zeros);
  return {std::ldexp(static_cast<double>(leading >> 11), -52), top * 64 + 63 - zeros + lowest};
}

}  // namespace ab::cli
