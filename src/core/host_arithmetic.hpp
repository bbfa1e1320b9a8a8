// SPDX-License-Identifier: MIT
// FP64 words in the caller's memory (any alignment) and the epilogue's operations on the host (docs/numerics.md 3): no fma, NaN
// results as 0x7FF8000000000000.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/problem.hpp"

namespace ab {

/// A scalar or an integer argument, read once.
template <class T>
T load(const T* from) {
  T value;
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

/// A real factor: each part by itself.
inline double multiply_parts(double s, double x) {
  return s * x;
}
inline Complex multiply_parts(Complex s, Complex x) {
  return {s.real() * x.real(), s.real() * x.imag()};
}

inline double conjugated(double x) {
  return x;
}
inline Complex conjugated(Complex x) {
  return std::conj(x);
}

/// One step of substitution: t - factor x, fused.
[[gnu::always_inline]] inline double subtract_product(double t, double factor, double x) {
  return std::fma(-factor, x, t);
}
[[gnu::always_inline]] inline Complex subtract_product(Complex t, Complex factor, Complex x) {
  const double re = std::fma(factor.imag(), x.imag(), std::fma(-factor.real(), x.real(), t.real()));
  const double im = std::fma(-factor.imag(), x.real(), std::fma(-factor.real(), x.imag(), t.imag()));
  return {re, im};
}

inline double divide(double x, double pivot) {
  return x / pivot;
}
/// Smith's rule, every operation rounded.
inline Complex divide(Complex x, Complex pivot) {
  const double a = x.real(), b = x.imag(), c = pivot.real(), d = pivot.imag();
  if (std::abs(c) >= std::abs(d)) {
    const double r = d / c, q = c + d * r;
    return {(a + b * r) / q, (b - a * r) / q};
  }
  const double r = c / d, q = c * r + d;
  return {(a * r + b) / q, (b * r - a) / q};
}

/// alpha p of an inner product.
template <Scalar T>
T with_alpha(const GemmProblem<T>& problem, T product) {
  if (problem.hermitian && problem.operation == Operation::Product) return multiply_parts(problem.alpha, product);
  const bool keeps_product = std::same_as<T, Complex> && problem.alpha == T(1);
  return keeps_product ? product : multiply(problem.alpha, product);
}

/// What is stored for t = alpha p: t + beta c, c not read for beta = 0. `row`, `column`: of the entry.
template <Scalar T>
T with_beta(const GemmProblem<T>& problem, T t, Index row, Index column) {
  const T* c = problem.c.data + row + column * problem.c.ld;
  if (problem.beta != T(0)) {
    const bool keeps_c = std::same_as<T, Complex> && problem.beta == T(1);
    t += keeps_c ? load(c) : problem.hermitian ? multiply_parts(problem.beta, load(c)) : multiply(problem.beta, load(c));
  }
  if constexpr (std::same_as<T, Complex>) {
    if (problem.hermitian && row == column) t.imag(0);
  }
  return t;
}

/// Entry of a rank-2k update: U_ij and U_ji, the latter of U' (conjugated where C is Hermitian), then beta c.
template <Scalar T>
T rank_two_entry(const GemmProblem<T>& problem, T u, T mirrored, Index row, Index column) {
  return with_beta(problem, u + (problem.hermitian ? conjugated(mirrored) : mirrored), row, column);
}

}  // namespace ab
