// SPDX-License-Identifier: MIT
#include "blas/plain_product.hpp"

#include <cmath>

#include "blas/host_arithmetic.hpp"
#include "core/float_environment.hpp"

namespace ab::blas {
namespace {

template <Scalar T>
T entry(const Operand<T>& x, Index row, Index column) {
  const T value = load(x.op == Op::None ? x.data + row + column * x.ld : x.data + column + row * x.ld);
  if constexpr (std::same_as<T, Complex>) {
    if (x.op == Op::ConjugateTranspose) return std::conj(value);
  }
  return value;
}

double inner_product(const GemmProblem<double>& problem, Index i, Index j) {
  double sum = 0;
  for (Index l = 0; l < problem.k; ++l) sum = std::fma(entry(problem.a, i, l), entry(problem.b, l, j), sum);
  return sum;
}

Complex inner_product(const GemmProblem<Complex>& problem, Index i, Index j) {
  double re = 0, left = 0, right = 0;
  for (Index l = 0; l < problem.k; ++l) {
    const Complex a = entry(problem.a, i, l);
    const Complex b = entry(problem.b, l, j);
    re = std::fma(-a.imag(), b.imag(), std::fma(a.real(), b.real(), re));
    left = std::fma(a.real(), b.imag(), left);
    right = std::fma(a.imag(), b.real(), right);
  }
  return {re, left + right};
}

template <Scalar T>
T with_epilogue(const GemmProblem<T>& problem, T product, const T* c) {
  const bool keeps_product = std::same_as<T, Complex> && problem.alpha == T(1);
  const T scaled = keeps_product ? product : multiply(problem.alpha, product);
  if (problem.beta == T(0)) return scaled;
  const bool keeps_c = std::same_as<T, Complex> && problem.beta == T(1);
  return scaled + (keeps_c ? load(c) : multiply(problem.beta, load(c)));
}

}  // namespace

template <Scalar T>
void multiply_plainly(const GemmProblem<T>& problem) noexcept {
  const FloatEnvironment environment;
  for (Index j = 0; j < problem.n; ++j) {
    for (Index i = 0; i < problem.m; ++i) {
      T* c = problem.c.data + i + j * problem.c.ld;
      store(c, with_epilogue(problem, inner_product(problem, i, j), c));
    }
  }
}

template void multiply_plainly(const GemmProblem<double>&) noexcept;
template void multiply_plainly(const GemmProblem<Complex>&) noexcept;

}  // namespace ab::blas
