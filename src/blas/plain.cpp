// SPDX-License-Identifier: MIT
#include "blas/plain.hpp"

#include <cmath>
#include <utility>

#include "core/float_environment.hpp"
#include "core/host_arithmetic.hpp"

namespace ab::blas {
namespace {

// Entry of op(X).
template <Scalar T>
T entry(const Operand<T>& x, Index row, Index column) {
  if (x.op != Op::None) std::swap(row, column);
  const bool stored = x.stored == Triangle::Full || (x.stored == Triangle::Upper ? row <= column : row >= column);
  if (x.form == Form::UnitTriangular && row == column) return T(1);
  if (!stored && is_triangular(x.form)) return T(0);
  if (!stored) std::swap(row, column);
  T value = load(x.data + row + column * x.ld);
  if constexpr (std::same_as<T, Complex>) {
    if (x.form == Form::Hermitian && row == column) value.imag(0);
    if ((x.form == Form::Hermitian && !stored) != (x.op == Op::ConjugateTranspose)) value = std::conj(value);
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
T result_at(const GemmProblem<T>& problem, Index i, Index j) {
  const T product = with_alpha(problem, inner_product(problem, i, j));
  if (problem.operation == Operation::Product) return with_beta(problem, product, i, j);
  return rank_two_entry(problem, product, with_alpha(problem, inner_product(problem, j, i)), i, j);
}

template <Scalar T>
void multiply_plainly(const GemmProblem<T>& problem) {
  for (Index j = 0; j < problem.n; ++j) {
    const auto [first, last] = rows_in(problem.triangle, j, problem.m);
    for (Index i = first; i < last; ++i) store(problem.c.data + i + j * problem.c.ld, result_at(problem, i, j));
  }
}

/// T with the unknowns of one right side as a vector: X to the left of T is the transposed equation.
template <Scalar T>
struct Triangular {
  const GemmProblem<T>& problem;
  bool left = is_triangular(problem.a.form);

  Index size() const { return problem.k; }
  Index sides() const { return left ? problem.n : problem.m; }
  T factor(Index i, Index k) const { return left ? entry(problem.a, i, k) : entry(problem.b, k, i); }
  T* unknown(Index i, Index side) const { return problem.c.data + (left ? i + side * problem.c.ld : side + i * problem.c.ld); }
  bool is_lower() const {
    const Operand<T>& t = left ? problem.a : problem.b;
    return (t.stored == Triangle::Lower) != ((t.op != Op::None) != !left);
  }
  bool is_unit() const { return (left ? problem.a : problem.b).form == Form::UnitTriangular; }
};

template <Scalar T>
void solve_side(const Triangular<T>& t, Index side) {
  const Index n = t.size();
  for (Index i = 0; i < n; ++i) {
    T* x = t.unknown(i, side);
    if (t.problem.alpha != T(1)) store(x, multiply(t.problem.alpha, load(x)));
  }
  for (Index step = 0; step < n; ++step) {
    const Index i = t.is_lower() ? step : n - 1 - step;
    T x = load(t.unknown(i, side));
    for (Index before = 0; before < step; ++before) {
      const Index k = t.is_lower() ? before : n - 1 - before;
      x = subtract_product(x, t.factor(i, k), load(t.unknown(k, side)));
    }
    store(t.unknown(i, side), t.is_unit() ? x : divide(x, t.factor(i, i)));
  }
}

double add_product(double sum, double a, double b) {
  return std::fma(a, b, sum);
}
Complex add_product(Complex sum, Complex a, Complex b) {
  return {std::fma(-a.imag(), b.imag(), std::fma(a.real(), b.real(), sum.real())),
          std::fma(a.imag(), b.real(), std::fma(a.real(), b.imag(), sum.imag()))};
}

// From the end that no other result needs: row i of a lower triangle takes entries 0 to i of B.
template <Scalar T>
void multiply_side(const Triangular<T>& t, Index side) {
  const Index n = t.size();
  for (Index step = 0; step < n; ++step) {
    const Index i = t.is_lower() ? n - 1 - step : step;
    T sum = 0;
    for (Index k = t.is_lower() ? 0 : i; k < (t.is_lower() ? i + 1 : n); ++k) {
      sum = add_product(sum, t.factor(i, k), load(t.unknown(k, side)));
    }
    store(t.unknown(i, side), with_alpha(t.problem, sum));
  }
}

}  // namespace

template <Scalar T>
void compute_plainly(const GemmProblem<T>& problem) noexcept {
  const FloatEnvironment environment;
  if (!is_triangular(problem.a.form) && !is_triangular(problem.b.form)) return multiply_plainly(problem);
  const Triangular<T> triangular{problem};
  for (Index side = 0; side < triangular.sides(); ++side) {
    problem.operation == Operation::Solve ? solve_side(triangular, side) : multiply_side(triangular, side);
  }
}

template void compute_plainly(const GemmProblem<double>&) noexcept;
template void compute_plainly(const GemmProblem<Complex>&) noexcept;

}  // namespace ab::blas
