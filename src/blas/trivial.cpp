// SPDX-License-Identifier: MIT
#include "blas/trivial.hpp"

#include "blas/host_arithmetic.hpp"
#include "core/float_environment.hpp"

namespace ab::blas {
namespace {

template <Scalar T>
void scale(const GemmProblem<T>& problem) {
  const FloatEnvironment environment;
  const bool clear = problem.beta == T(0);  // C is then not read
  for (Index j = 0; j < problem.n; ++j) {
    T* column = problem.c.data + j * problem.c.ld;
    for (Index i = 0; i < problem.m; ++i) store(column + i, clear ? T(0) : multiply(problem.beta, load(column + i)));
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
