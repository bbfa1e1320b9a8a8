// SPDX-License-Identifier: MIT
#include "numerics/lu.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ab::numerics {
namespace {

constexpr Index panel = 64;        // columns factored before the rest is updated (chosen; no effect on bits)
constexpr Index side_block = 512;  // right sides at a time, so that they stay in the cache (chosen; no effect on bits)

// x -= sum of factors[k] times row k, in ascending k, each term subtracted and rounded by itself.
template <Real T>
void subtract_rows(T* __restrict x, const T* __restrict factors, const T* __restrict rows, Index ld, Index count, Index width) {
  Index k = 0;
  for (; k + 4 <= count; k += 4) {
    const T f0 = factors[k], f1 = factors[k + 1], f2 = factors[k + 2], f3 = factors[k + 3];
    const T *r0 = rows + k * ld, *r1 = r0 + ld, *r2 = r1 + ld, *r3 = r2 + ld;
    for (Index j = 0; j < width; ++j) x[j] = (((x[j] - f0 * r0[j]) - f1 * r1[j]) - f2 * r2[j]) - f3 * r3[j];
  }
  for (; k < count; ++k) {
    const T f = factors[k], *row = rows + k * ld;
    for (Index j = 0; j < width; ++j) x[j] -= f * row[j];
  }
}

template <Real T>
void divide(const TriangularMatrix<T>& t, Index i, T* x, Index width) {
  if (t.diagonal == Diagonal::Unit) return;
  const T pivot = t.data[i * t.ld + i];
  for (Index j = 0; j < width; ++j) x[j] /= pivot;
}

template <Real T>
void substitute_block(const TriangularMatrix<T>& t, T* x, Index ld, Index width) {
  if (t.triangle == Triangle::Lower) {
    for (Index i = 0; i < t.size; ++i) {
      subtract_rows(x + i * ld, t.data + i * t.ld, x, ld, i, width);
      divide(t, i, x + i * ld, width);
    }
    return;
  }
  for (Index i = t.size - 1; i >= 0; --i) {
    const Index below = i + 1;
    subtract_rows(x + i * ld, t.data + i * t.ld + below, x + below * ld, ld, t.size - below, width);
    divide(t, i, x + i * ld, width);
  }
}

template <Real T>
Index pivot_row(const std::vector<T>& a, Index n, Index k) {
  const auto size = [&](Index i) { return std::abs(a[static_cast<std::size_t>(i * n + k)]); };
  Index best = k;
  for (Index i = k + 1; i < n && !std::isnan(size(best)); ++i) {
    if (!(size(i) <= size(best))) best = i;  // also NaN, which is no zero: a column that has one is not without a pivot
  }
  return best;
}

// Columns first to last - 1 below the diagonal block become L, and within the panel the rest of U. False: no pivot.
template <Real T>
bool factor_panel(LuFactors<T>& f, Index first, Index last) {
  const Index n = f.n;
  T* const a = f.lu.data();
  for (Index k = first; k < last; ++k) {
    const Index pivot = pivot_row(f.lu, n, k);
    if (a[pivot * n + k] == T(0)) return false;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      std::swap(f.rows[static_cast<std::size_t>(k)], f.rows[static_cast<std::size_t>(pivot)]);
    }
    for (Index i = k + 1; i < n; ++i) {
      T* const row = a + i * n;
      row[k] /= a[k * n + k];
      subtract_rows(row + k + 1, row + k, a + k * n + k + 1, n, 1, last - k - 1);
    }
  }
  return true;
}

}  // namespace

template <Real T>
void substitute(const TriangularMatrix<T>& t, const RightSides<T>& x) {
  for (Index first = 0; first < x.count; first += side_block) {
    substitute_block(t, x.data + first, x.ld, std::min(side_block, x.count - first));
  }
}

template <Real T>
std::optional<LuFactors<T>> factor(std::vector<T> matrix, Index n) {
  LuFactors<T> f{n, std::move(matrix), std::vector<Index>(static_cast<std::size_t>(n))};
  std::iota(f.rows.begin(), f.rows.end(), Index{0});
  T* const a = f.lu.data();
  for (Index first = 0; first < n; first += panel) {
    const Index last = std::min(n, first + panel), right = n - last;
    if (!factor_panel(f, first, last)) return std::nullopt;
    const TriangularMatrix<T> block = {a + first * n + first, n, last - first, Triangle::Lower, Diagonal::Unit};
    substitute(block, RightSides<T>{a + first * n + last, n, right});
    for (Index i = last; i < n; ++i) subtract_rows(a + i * n + last, a + i * n + first, a + first * n + last, n, last - first, right);
  }
  return f;
}

template <Real T>
std::vector<T> solve(const LuFactors<T>& f, const std::vector<T>& b, Index columns) {
  std::vector<T> x(b.size());
  for (Index i = 0; i < f.n; ++i) {
    const auto from = b.begin() + f.rows[static_cast<std::size_t>(i)] * columns;
    std::copy(from, from + columns, x.begin() + i * columns);
  }
  const RightSides<T> sides = {x.data(), columns, columns};
  substitute(TriangularMatrix<T>{f.lu.data(), f.n, f.n, Triangle::Lower, Diagonal::Unit}, sides);
  substitute(TriangularMatrix<T>{f.lu.data(), f.n, f.n, Triangle::Upper, Diagonal::Stored}, sides);
  return x;
}

template void substitute(const TriangularMatrix<float>&, const RightSides<float>&);
template void substitute(const TriangularMatrix<double>&, const RightSides<double>&);
template std::optional<LuFactors<float>> factor(std::vector<float>, Index);
template std::optional<LuFactors<double>> factor(std::vector<double>, Index);
template std::vector<float> solve(const LuFactors<float>&, const std::vector<float>&, Index);
template std::vector<double> solve(const LuFactors<double>&, const std::vector<double>&, Index);

}  // namespace ab::numerics
