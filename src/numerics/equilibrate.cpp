// SPDX-License-Identifier: MIT
#include "numerics/equilibrate.hpp"

#include <algorithm>
#include <climits>
#include <cmath>

namespace ab::numerics {
namespace {

constexpr int no_exponent = INT_MIN / 4;  // of what is zero

// e with |x| in [2^(e-1), 2^e); nothing for zeros, NaN and Inf.
int exponent_of(double x) {
  if (x == 0 || !std::isfinite(x)) return no_exponent;
  int exponent = 0;
  std::frexp(x, &exponent);
  return exponent;
}

void zero_where_there_is_none(std::vector<int>& exponents) {
  for (int& exponent : exponents) {
    if (exponent == no_exponent) exponent = 0;
  }
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

void scale_rows_and_columns(Equilibration& scale, const std::vector<double>& a, std::size_t n) {
  std::vector<int> rows(n, no_exponent), columns(n, no_exponent);
  for (std::size_t at = 0; at < a.size(); ++at) rows[at / n] = std::max(rows[at / n], exponent_of(a[at]));
  zero_where_there_is_none(rows);
  for (std::size_t at = 0; at < a.size(); ++at) {
    const int exponent = exponent_of(a[at]);
    if (exponent != no_exponent) columns[at % n] = std::max(columns[at % n], exponent - rows[at / n]);
  }
  zero_where_there_is_none(columns);
  scale.rows = std::move(rows);
  scale.columns = std::move(columns);
}

int side_exponent(int largest, int smallest) {
  constexpr int far = 1000;  // leaves room for sums and solutions (chosen)
  if (largest > far) return largest - far;
  return smallest < -far ? std::max(smallest + far, largest - far) : 0;
}

void scale_sides(Equilibration& scale, const std::vector<double>& b) {
  const std::size_t count = scale.sides.size();
  std::vector<int> largest(count, no_exponent), smallest(count, -no_exponent);
  for (std::size_t at = 0; at < b.size(); ++at) {
    if (exponent_of(b[at]) == no_exponent) continue;
    const int exponent = exponent_of(b[at]) - scale.rows[at / count];
    largest[at % count] = std::max(largest[at % count], exponent);
    smallest[at % count] = std::min(smallest[at % count], exponent);
  }
  for (std::size_t k = 0; k < count; ++k) scale.sides[k] = largest[k] == no_exponent ? 0 : side_exponent(largest[k], smallest[k]);
}

}  // namespace

Equilibration equilibrate(const std::vector<double>& a, const std::vector<double>& b, Index n, Index sides) {
  const auto size = static_cast<std::size_t>(n);
  Equilibration scale{std::vector<int>(size, 0), std::vector<int>(size, 0), std::vector<int>(static_cast<std::size_t>(sides), 0)};
  const bool a_finite = all_finite(a);
  if (a_finite) scale_rows_and_columns(scale, a, size);
  scale_sides(scale, b);
  scale.finite = a_finite && all_finite(b);
  return scale;
}

std::vector<double> scaled_matrix(const Equilibration& scale, const std::vector<double>& a) {
  std::vector<double> out(a.size());
  const std::size_t n = scale.rows.size();
  for (std::size_t at = 0; at < a.size(); ++at) out[at] = std::ldexp(a[at], -(scale.rows[at / n] + scale.columns[at % n]));
  return out;
}

std::vector<double> scaled_sides(const Equilibration& scale, const std::vector<double>& b) {
  std::vector<double> out(b.size());
  const std::size_t sides = scale.sides.size();
  for (std::size_t at = 0; at < b.size(); ++at) out[at] = std::ldexp(b[at], -(scale.rows[at / sides] + scale.sides[at % sides]));
  return out;
}

void unscale(const Equilibration& scale, std::vector<double>& x) {
  const std::size_t sides = scale.sides.size();
  for (std::size_t at = 0; at < x.size(); ++at) x[at] = std::ldexp(x[at], scale.sides[at % sides] - scale.columns[at / sides]);
}

}  // namespace ab::numerics
