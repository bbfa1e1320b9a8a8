// SPDX-License-Identifier: MIT
#include "support/word.hpp"

#include <algorithm>

namespace ab::test {

Word round_to_word(bool negative, std::uint64_t top, int e, bool sticky) {
  if (top == 0) return 0;
  const Word sign = negative ? sign_bit : 0;
  const int drop = std::max(11, -1074 - e);  // to 53 bits, but never below 2^-1074
  std::uint64_t kept = drop < 64 ? top >> drop : 0;
  if (drop <= 64) {
    const std::uint64_t half = std::uint64_t{1} << (drop - 1);
    const std::uint64_t rest = drop < 64 ? top & ((half << 1) - 1) : top;
    if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) ++kept;
  }
  e += drop;
  if (kept >> 53 != 0) {
    kept >>= 1;
    ++e;
  }
  if (kept >> 52 == 0) return sign | kept;  // subnormal or zero, e = -1074
  const int field = e + 1075;
  if (field >= 0x7FF) return sign | infinity_word;
  return sign | static_cast<Word>(field) << 52 | (kept & ((Word{1} << 52) - 1));
}

Word round_to_word(Int128 n, int e) {
  if (n == 0) return 0;
  UInt128 magnitude = n < 0 ? -static_cast<UInt128>(n) : static_cast<UInt128>(n);
  const std::uint64_t high = static_cast<std::uint64_t>(magnitude >> 64);
  const int up = high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(magnitude));
  magnitude <<= up;  // the leading bit at 127
  return round_to_word(n < 0, static_cast<std::uint64_t>(magnitude >> 64), e - up + 64, static_cast<std::uint64_t>(magnitude) != 0);
}

}  // namespace ab::test
