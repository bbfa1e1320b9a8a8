// SPDX-License-Identifier: MIT
// FP64 words in the caller's memory (any alignment) and the epilogue's operations on the host (docs/numerics.md 3): no fma, NaN
// results as 0x7FF8000000000000.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/types.hpp"

namespace ab::blas {

template <Scalar T>
T load(const T* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// A 32-bit integer argument.
inline Index load_size(const int* from) {
  int value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

inline double with_defined_nan(double x) {
  return x == x ? x : std::bit_cast<double>(std::uint64_t{0x7FF8000000000000});
}
inline Complex with_defined_nan(Complex x) {
  return {with_defined_nan(x.real()), with_defined_nan(x.imag())};
}

template <Scalar T>
void store(T* to, T value) {
  value = with_defined_nan(value);
  std::memcpy(to, &value, sizeof value);
}

inline double multiply(double s, double x) {
  return s * x;
}
// By hand: operator* of std::complex repairs NaN results, which would be another definition.
inline Complex multiply(Complex s, Complex x) {
  const double re = s.real() * x.real() - s.imag() * x.imag();
  const double im = s.real() * x.imag() + s.imag() * x.real();
  return {re, im};
}

}  // namespace ab::blas
