// SPDX-License-Identifier: MIT
#include "blas/trivial.hpp"

#include "core/float_environment.hpp"
#include "core/host_arithmetic.hpp"

namespace ab::blas {
namespace {

double scaled(const GemmProblem<double>& problem, double c, bool) {
  return multiply(problem.beta, c);
}
Complex scaled(const GemmProblem<Complex>& problem, Complex c, bool on_diagonal) {
  if (!problem.hermitian) return multiply(problem.beta, c);
  const Complex parts = multiply_parts(problem.beta, c);
  return on_diagonal ? Complex(parts.real(), 0) : parts;
}

template <Scalar T>
void scale(const GemmProblem<T>& problem) {
  const FloatEnvironment environment;
  const bool clear = problem.beta == T(0);  // C is then not read
  for (Index j = 0; j < problem.n; ++j) {
    const auto [first, last] = rows_in(problem.triangle, j, problem.m);
    for (Index i = first; i < last; ++i) {
      T* c = problem.c.data + i + j * problem.c.ld;
      store(c, clear ? T(0) : scaled(problem, load(c), i == j));
    }
  }
}

}  // namespace

template <Scalar T>
void finish_trivial(const GemmProblem<T>& problem) noexcept {
  const bool empty = problem.m == 0 || problem.n == 0;
  if (!empty && problem.beta != T(1)) scale(problem);
}

template void finish_trivial(const GemmProblem<double>&) noexcept;
template void finish_trivial(const GemmProblem<Complex>&) noexcept;

}  // namespace ab::blas
