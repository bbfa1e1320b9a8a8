// SPDX-License-Identifier: MIT
#include "device/cpu/native/exact_entry.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "kernels/host.hpp"

namespace ab::device::native {
namespace {

__extension__ using Wide = __int128;

constexpr int family[] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199, 197, 193, 191, 181, 179, 173};

double entry_of(Wide x, int count, int shift, int multiple) {
  std::vector<kernels::modulus> table(static_cast<std::size_t>(count));
  std::int32_t residues[most_moduli] = {};
  for (int l = 0; l < count; ++l) {
    table[static_cast<std::size_t>(l)].m = static_cast<kernels::uint>(family[l]);
    residues[l] = static_cast<std::int32_t>(x % family[l]) + multiple * family[l];  // any representative will do
  }
  return std::bit_cast<double>(exact_entry(residues, plain_constants_for(table.data(), count), shift));
}

TEST(ExactEntry, IsTheIntegerRoundedOnce) {
  std::uint64_t state = 7;
  for (int t = 0; t < 20000; ++t) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const int bits = static_cast<int>(state >> 40) % 63, count = 13 + t % 8;
    const Wide high = static_cast<std::int64_t>(state) >> bits, x = t % 3 == 0 ? high : high * (Wide{1} << 33) + (t % 5 - 2);
    // GCC and Clang round a 128-bit integer to nearest, ties to even
    EXPECT_EQ(entry_of(x, count, 0, t % 3 - 1), static_cast<double>(x));
    EXPECT_EQ(entry_of(x, count, 300, 0), std::ldexp(static_cast<double>(x), -300));
  }
}

TEST(ExactEntry, TiesGoToEvenAndZeroIsPositive) {
  const Wide odd = (Wide{1} << 53) + 1;
  EXPECT_EQ(entry_of(odd, 14, 0, 0), 0x1p53);
  EXPECT_EQ(entry_of(odd + 2, 14, 0, 0), 0x1p53 + 4);
  EXPECT_EQ(entry_of(-odd, 14, 0, 0), -0x1p53);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(entry_of(0, 14, 0, 0)), 0u);
  EXPECT_EQ(entry_of(3, 14, 1075, 0), 0x1p-1074 * 2);  // a subnormal tie: 1.5 of the smallest number
}

}  // namespace
}  // namespace ab::device::native
