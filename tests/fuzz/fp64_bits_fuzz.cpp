// SPDX-License-Identifier: MIT
// FP64 in integers against the compiler's own doubles: three words are added, multiplied, fused, taken apart and rounded.
#include <bit>
#include <cmath>
#include <cstring>

#include "fuzz/require.hpp"
#include "kernels/host.hpp"

namespace {

using namespace ab::kernels;
using Word = std::uint64_t;

double as_double(Word word) {
  return std::bit_cast<double>(word);
}
// The one NaN that the arithmetic makes.
Word word_of(double value) {
  return std::isnan(value) ? AB_NAN : std::bit_cast<Word>(value);
}

void check_classes(Word word) {
  const double value = as_double(word);
  REQUIRE(is_nan64(word) == std::isnan(value));
  REQUIRE(is_infinite64(word) == std::isinf(value));
  REQUIRE(is_finite64(word) == std::isfinite(value));
  REQUIRE(is_zero64(word) == (value == 0));
  REQUIRE(canonical64(word) == (std::isnan(value) ? AB_NAN : word));
  if (!std::isfinite(value)) return;
  const Word significand = significand64(word);
  const int exponent = exponent64(word);
  REQUIRE(std::ldexp(static_cast<double>(significand), exponent) == std::fabs(value));
  REQUIRE(round64(word & AB_SIGN, significand, exponent, 0) == (value == 0 ? 0 : word));
}

// The rounding of m 2^e where a double's own arithmetic rounds once: m from two halves by one fma, then an exact power of two.
void check_round(Word sign, Word m, int e) {
  const double rounded = std::fma(static_cast<double>(m >> 32), 0x1p32, static_cast<double>(m & 0xFFFFFFFFu));
  const Word expected = m == 0 ? 0 : word_of(std::ldexp(rounded, e)) | (sign & AB_SIGN);
  REQUIRE(round64(sign & AB_SIGN, m, e, 0) == expected);
}

void check_wide(Word a, Word b, int shift) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  const pair128 ours = multiply64(a, b);
  REQUIRE(ours.high == static_cast<Word>(product >> 64) && ours.low == static_cast<Word>(product));
  const Wide right = shift >= 128 ? Wide{0} : product >> shift;
  const Word lost = shift > 0 && (shift >= 128 ? product : product & ((Wide{1} << shift) - 1)) != 0 ? 1 : 0;
  const pair128 shifted = shift_right_jam128(ours, shift);
  REQUIRE(shifted.high == static_cast<Word>(right >> 64) && shifted.low == (static_cast<Word>(right) | lost));
  if (shift >= 128) return;
  const Wide left = product << shift;
  const pair128 up = shift_left128(ours, shift);
  REQUIRE(up.high == static_cast<Word>(left >> 64) && up.low == static_cast<Word>(left));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Word words[3] = {};
  std::memcpy(words, data, size < sizeof words ? size : sizeof words);
  const auto [a, b, c] = words;
  for (const Word word : words) check_classes(word);
  REQUIRE(soft_add64(a, b) == word_of(as_double(a) + as_double(b)));
  REQUIRE(soft_mul64(a, b) == word_of(as_double(a) * as_double(b)));
  REQUIRE(soft_fma64(a, b, c) == word_of(std::fma(as_double(a), as_double(b), as_double(c))));
  check_round(b, a, static_cast<int>(c % 1900) - 950);  // no subnormal results
  check_wide(a, b, static_cast<int>(c % 140));
  return 0;
}
