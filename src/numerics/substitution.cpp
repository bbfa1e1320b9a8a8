// SPDX-License-Identifier: MIT
#include "numerics/substitution.hpp"

#include <algorithm>

#include "core/host_arithmetic.hpp"

#if defined(__x86_64__) && !defined(__FMA__)
#define AB_FMA_CHOSEN_AT_RUN_TIME 1  // the library is built for the oldest processor; the bits are those of the C library's fma
#endif

namespace ab::numerics {
namespace {

constexpr Index side_block = 512;  // right sides at a time, so that they stay in the cache (chosen; no effect on bits)

template <Scalar T>
[[gnu::always_inline]] inline void subtract_row(T* __restrict x, T factor, const T* __restrict solved, Index width) {
  for (Index j = 0; j < width; ++j) x[j] = subtract_product(x[j], factor, solved[j]);
}

template <Scalar T>
void finish_row(const TriangularMatrix<T>& t, Index i, T* x, Index width) {
  const T pivot = t.diagonal == Diagonal::Unit ? T(1) : t.data[i * t.ld + i];
  for (Index j = 0; j < width; ++j) x[j] = with_defined_nan(t.diagonal == Diagonal::Unit ? x[j] : divide(x[j], pivot));
}

template <Scalar T>
[[gnu::always_inline]] inline void solve_rows(const TriangularMatrix<T>& t, const RightSides<T>& x) {
  const bool forward = t.triangle == Triangle::Lower;
  for (Index step = 0; step < t.size; ++step) {
    const Index i = forward ? step : t.size - 1 - step;
    for (Index before = 0; before < step; ++before) {
      const Index k = forward ? before : t.size - 1 - before;
      subtract_row(x.data + i * x.ld, t.data[i * t.ld + k], x.data + k * x.ld, x.count);
    }
    finish_row(t, i, x.data + i * x.ld, x.count);
  }
}

#ifdef AB_FMA_CHOSEN_AT_RUN_TIME
template <Scalar T>
[[gnu::target("fma,avx2")]] void solve_rows_in_hardware(const TriangularMatrix<T>& t, const RightSides<T>& x) {
  solve_rows(t, x);
}
#endif

}  // namespace

template <Scalar T>
void substitute_fused(const TriangularMatrix<T>& t, const RightSides<T>& x) {
  for (Index first = 0; first < x.count; first += side_block) {
    const RightSides<T> block{x.data + first, x.ld, std::min(side_block, x.count - first)};
#ifdef AB_FMA_CHOSEN_AT_RUN_TIME
    if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2")) {
      solve_rows_in_hardware(t, block);
      continue;
    }
#endif
    solve_rows(t, block);
  }
}

template void substitute_fused(const TriangularMatrix<double>&, const RightSides<double>&);
template void substitute_fused(const TriangularMatrix<Complex>&, const RightSides<Complex>&);

}  // namespace ab::numerics
