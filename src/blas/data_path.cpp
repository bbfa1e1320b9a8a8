// SPDX-License-Identifier: MIT
#include "blas/data_path.hpp"

namespace ab::blas {
namespace {

// The span of a column-major matrix ends with the last element of its last column.
template <Scalar T>
bool is_registered(const T* data, Index rows, Index columns, Index ld) {
  const auto elements = static_cast<std::size_t>((columns - 1) * ld + rows);
  return ops::find_registered({reinterpret_cast<const std::byte*>(data), elements * sizeof(T)}).has_value();
}

template <Scalar T>
bool is_registered(const Operand<T>& x, Index rows, Index columns) {
  return x.op == Op::None ? is_registered(x.data, rows, columns, x.ld) : is_registered(x.data, columns, rows, x.ld);
}

}  // namespace

template <Scalar T>
routing::DataPath path_of_registered(const GemmProblem<T>& problem) noexcept {
  const Index m = problem.m, n = problem.n, k = problem.k;
  try {
    const bool all = is_registered(problem.a, m, k) && is_registered(problem.b, k, n) && is_registered(problem.c.data, m, n, problem.c.ld);
    return all ? routing::DataPath::InPlace : routing::DataPath::Copied;
  } catch (...) {  // no memory to look
    return routing::DataPath::Copied;
  }
}

template routing::DataPath path_of_registered(const GemmProblem<double>&) noexcept;
template routing::DataPath path_of_registered(const GemmProblem<Complex>&) noexcept;

}  // namespace ab::blas
