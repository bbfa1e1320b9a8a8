// SPDX-License-Identifier: MIT
#include "ops/expand.hpp"

#include <algorithm>
#include <cstring>

#include "core/host_arithmetic.hpp"

namespace ab::ops {
namespace {

double on_diagonal(double x, Form) {
  return x;
}
Complex on_diagonal(Complex x, Form form) {
  return form == Form::Hermitian ? Complex(x.real(), 0) : x;
}

constexpr Index tile = 32;  // chosen: rows and columns of one tile stay in the first cache

// The other triangle from the one that is there, tile by tile, since one of them is walked across its columns.
template <Scalar T>
void mirror(T* full, Index size, const Operand<T>& operand) {
  const bool upper = operand.stored == Triangle::Upper;
  for (Index j0 = 0; j0 < size; j0 += tile) {
    for (Index i0 = 0; i0 <= j0; i0 += tile) {
      for (Index j = j0; j < std::min(size, j0 + tile); ++j) {
        for (Index i = i0; i < std::min(j, i0 + tile); ++i) {
          T &above = full[i + j * size], &below = full[j + i * size];
          const T stored = upper ? above : below;
          (upper ? below : above) = operand.form == Form::Hermitian ? conjugated(stored) : stored;
        }
      }
    }
  }
  for (Index i = 0; i < size; ++i) full[i + i * size] = on_diagonal(full[i + i * size], operand.form);
}

}  // namespace

template <Scalar T>
std::unique_ptr<T[]> expand(const Operand<T>& operand, Index size) {
  auto full = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(size * size));
  const bool zeros_elsewhere = is_triangular(operand.form), unit = operand.form == Form::UnitTriangular;
  for (Index j = 0; j < size; ++j) {
    T* const column = full.get() + j * size;
    RowRange rows = rows_in(operand.stored, j, size);
    if (zeros_elsewhere) std::fill_n(column, size, T(0));
    if (unit) (operand.stored == Triangle::Upper ? rows.last : rows.first) += operand.stored == Triangle::Upper ? -1 : 1;
    std::memcpy(column + rows.first, operand.data + j * operand.ld + rows.first,
                static_cast<std::size_t>(rows.last - rows.first) * sizeof(T));
    if (unit) column[j] = T(1);
  }
  if (!zeros_elsewhere) mirror(full.get(), size, operand);
  return full;
}

template std::unique_ptr<double[]> expand(const Operand<double>&, Index);
template std::unique_ptr<Complex[]> expand(const Operand<Complex>&, Index);

}  // namespace ab::ops
