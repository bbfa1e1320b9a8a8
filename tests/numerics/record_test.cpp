// SPDX-License-Identifier: MIT
// Digits and shifts of records against golden/units.json and their defining inequality (docs/numerics.md 6.1).
#include "numerics/record.hpp"

#include <gtest/gtest.h>

#include "numerics/plan.hpp"
#include "support/golden.hpp"
#include "support/random.hpp"
#include "support/reference_scan.hpp"

namespace ab::numerics {
namespace {

using test::BigInt;

TEST(Record, ShiftsOfTheGoldenScans) {
  for (const auto& unit : test::golden_units().scan) {
    const test::Vectors vectors{1, 1, static_cast<Index>(unit.words.size()), unit.words};
    const Record record = test::record_of(vectors, 0, test::scan(vectors, 0, {}));
    EXPECT_EQ(is_zero(record), unit.zero);
    EXPECT_TRUE(is_finite(record));
    for (const auto& [budget, shift] : unit.shift) EXPECT_EQ(shift_of(record, budget), shift);
  }
}

TEST(Record, TheShiftIsTheLargestThatIsProven) {  // S 4^d < 2^(b-1) <= S 4^(d+1), for both parities of b - 1 - L
  test::Random random(1);
  for (int L = 29; L <= 63; ++L) {
    for (const int budget : ladder) {
      Record record{};
      record.L = L;
      record.S = std::uint64_t{1} << (L - 1) | random.bits() >> (65 - L);
      const int digits = (budget - 1 - record.L) / 2;
      EXPECT_GE(digits, 17);
      EXPECT_LE(digits, 59);
      EXPECT_LT(BigInt(record.S) << (2 * digits), BigInt(1) << (budget - 1));
      const BigInt next = (BigInt(1) << L) << (2 * digits + 2);  // by bits(S) alone the next shift is not proven
      EXPECT_GT(next, BigInt(1) << (budget - 1));
      record.E = static_cast<int>(random.below(2000)) - 1000;
      EXPECT_EQ(shift_of(record, budget), 14 - record.E + digits);
    }
  }
}

TEST(Record, Flags) {
  Record record{};
  EXPECT_FALSE(is_zero(record));
  EXPECT_TRUE(is_finite(record));
  record.flags = AB_RECORD_ZERO;
  record.E = 77;
  EXPECT_TRUE(is_zero(record));
  EXPECT_EQ(shift_of(record, 109), 0);
  record.flags = AB_RECORD_NONFINITE;
  EXPECT_FALSE(is_finite(record));
}

}  // namespace
}  // namespace ab::numerics
