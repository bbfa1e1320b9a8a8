// SPDX-License-Identifier: MIT
// What a record says under a budget (docs/numerics.md 6.1).
#include "numerics/record.hpp"

namespace ab::numerics {

bool is_zero(const Record& record) {
  return (record.flags & AB_RECORD_ZERO) != 0;
}

bool is_finite(const Record& record) {
  return (record.flags & AB_RECORD_NONFINITE) == 0;
}

int digits_of(const Record& record, int budget) {
  return (budget - 1 - record.L) >> 1;
}

int shift_of(const Record& record, int budget) {
  return is_zero(record) ? 0 : 14 - record.E + digits_of(record, budget);
}

}  // namespace ab::numerics
