// SPDX-License-Identifier: MIT
// Class double-float: may it serve the call, and with three or four products (docs/numerics.md 10.5, 10.6).
#include <algorithm>

#include "numerics/plan.hpp"

namespace ab::numerics {
namespace {

constexpr int deepest = 119;  // per operand (10.5)
constexpr int deepest_product = 141;
constexpr int deepest_3m = 112;    // sums of parts have a finer grid (10.6)
constexpr Index shortest_3m = 16;  // below, products are bound by memory and four are the more accurate (10.6)

/// How the vectors of one side lie between their real and imaginary parts.
struct Tilt {
  int depth = 0;  // max E - nmin
  int up = 0;     // imaginary above real
  int down = 0;
  bool only_imaginary = false;
  bool only_real = false;
};

Tilt tilt_of(std::span<const Record> records) {
  Tilt tilt;
  for (const Record& record : records) {
    if (is_zero(record)) continue;
    tilt.depth = std::max(tilt.depth, record.E - record.nmin);
    if (record.top_re == AB_NO_TOP) {
      tilt.only_imaginary = true;
    } else if (record.top_im == AB_NO_TOP) {
      tilt.only_real = true;
    } else {
      tilt.up = std::max(tilt.up, record.top_im - record.top_re);
      tilt.down = std::max(tilt.down, record.top_re - record.top_im);
    }
  }
  return tilt;
}

/// 3M would lose too much of the smaller part.
bool is_unbalanced(const Tilt& a, const Tilt& b) {
  return std::min(a.up, b.up) > 1 || std::min(a.down, b.down) > 1 || (a.only_imaginary && b.up > 1) || (b.only_imaginary && a.up > 1) ||
         (a.only_real && b.down > 1) || (b.only_real && a.down > 1);
}

}  // namespace

std::optional<int> double_float_form(std::span<const Record> left, std::span<const Record> right, int parts, Index inner) {
  const Tilt a = tilt_of(left);
  const Tilt b = tilt_of(right);
  if (a.depth > deepest || b.depth > deepest || a.depth + b.depth > deepest_product) return std::nullopt;
  if (parts == 1) return 1;
  return is_unbalanced(a, b) || inner < shortest_3m || a.depth + b.depth > deepest_3m ? 4 : 3;
}

double double_float_bound(int form, Index inner) {
  const Index factor = form == 1 ? 3 * inner + 13 : form == 4 ? 3 * inner + 16 : 6 * inner + 45;
  return static_cast<double>(32 * factor);
}

}  // namespace ab::numerics
