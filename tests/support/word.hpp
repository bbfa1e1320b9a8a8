// SPDX-License-Identifier: MIT
// FP64 words and the one rounding for tests, in integers (docs/numerics.md 2.1, 2.2); independent of src/.
#pragma once
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

namespace ab::test {

using Word = std::uint64_t;
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;
using Int256 = boost::multiprecision::int256_t;
using BigInt = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;

inline constexpr Word sign_bit = Word{1} << 63;
inline constexpr Word infinity_word = Word{0x7FF} << 52;
inline constexpr Word nan_word = Word{0x7FF8} << 48;  // the only NaN that is ever stored
inline constexpr Word one_word = Word{0x3FF} << 52;

inline Word word_of(double x) {
  return std::bit_cast<Word>(x);
}
inline double double_of(Word w) {
  return std::bit_cast<double>(w);
}
inline bool is_nan(Word w) {
  return (w & ~sign_bit) > infinity_word;
}
inline bool is_finite(Word w) {
  return (w & infinity_word) != infinity_word;
}
inline Word canonical(Word w) {
  return is_nan(w) ? nan_word : w;
}

/// n 2^e
struct Decoded {
  std::int64_t n;
  int e;
};

/// A finite word: |n| < 2^53.
inline Decoded decode(Word w) {
  const int field = static_cast<int>(w >> 52 & 0x7FF);
  const std::int64_t fraction = static_cast<std::int64_t>(w & ((Word{1} << 52) - 1));
  const std::int64_t m = field == 0 ? fraction : fraction | std::int64_t{1} << 52;
  return {(w & sign_bit) != 0 ? -m : m, field == 0 ? -1074 : field - 1075};
}

inline int bits_of(std::int64_t n) {
  return std::bit_width(static_cast<std::uint64_t>(n < 0 ? -n : n));
}
/// ex of a nonzero value: 2^ex <= |n 2^e| < 2^(ex + 1).
inline int exponent_of(Decoded d) {
  return d.e + bits_of(d.n) - 1;
}

/// RN64 of (top + rest) 2^e with 0 <= rest < 1 and rest > 0 iff `sticky`; bit 63 of top is set unless the value is zero.
Word round_to_word(bool negative, std::uint64_t top, int e, bool sticky);

/// RN64(n 2^e); zero gives +0.
Word round_to_word(Int128 n, int e);

template <class Backend, boost::multiprecision::expression_template_option Option>
Word round_to_word(const boost::multiprecision::number<Backend, Option>& n, int e) {
  if (n == 0) return 0;
  using Number = boost::multiprecision::number<Backend, Option>;
  const Number magnitude = abs(n);
  const int bits = static_cast<int>(msb(magnitude)) + 1;
  const bool sticky = bits > 64 && static_cast<int>(lsb(magnitude)) < bits - 64;
  const Number aligned = bits > 64 ? Number(magnitude >> (bits - 64)) : Number(magnitude << (64 - bits));
  return round_to_word(n < 0, static_cast<std::uint64_t>(aligned), e + bits - 64, sticky);
}

}  // namespace ab::test
