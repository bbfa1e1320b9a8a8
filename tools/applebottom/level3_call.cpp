// SPDX-License-Identifier: MIT
#include "level3_call.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "core/thread_state.hpp"

namespace ab::cli {
namespace {

StoredMatrix factor(Op op, Index rows, Index columns, Index ld) {
  return op == Op::None ? StoredMatrix{rows, columns, ld} : StoredMatrix{columns, rows, ld};
}

bool is_batch(const Routine& routine) {
  return routine.family == Family::GemmBatch || routine.family == Family::GemmBatchStrided;
}

std::vector<double> random_words(const StoredMatrix& matrix, Index copies, int parts, Generator& generator) {
  std::vector<double> words(matrix.elements() * static_cast<std::size_t>(copies * parts));
  for (double& word : words) word = generator.uniform();
  return words;
}

// A diagonal between 1 and 1.5, beside which a row's other entries are small together.
void make_dominant(Level3Call& call) {
  const StoredMatrix& a = call.matrices.a;
  const int scale = std::bit_width(static_cast<std::uint64_t>(a.rows));
  for (Index j = 0; j < a.columns; ++j) {
    for (Index i = 0; i < a.rows * call.parts(); ++i) {
      double& word = call.a[static_cast<std::size_t>(i + j * a.ld * call.parts())];
      word = i == j * call.parts() ? 1 + std::fabs(word) : std::ldexp(word, -scale);
    }
  }
}

template <Scalar T>
T scalar_of(const Complex& value) {
  if constexpr (std::same_as<T, double>) {
    return value.real();
  } else {
    return value;
  }
}

template <Scalar T>
GemmProblem<T> problem_of(const Level3Call& call, std::vector<double>& c) {
  const auto at = [](const std::vector<double>& words) { return reinterpret_cast<const T*>(words.data()); };
  return blas::problem_of<T>(*call.routine, {call.arguments, scalar_of<T>(call.alpha), at(call.a), at(call.b), scalar_of<T>(call.beta),
                                             reinterpret_cast<T*>(c.data())});
}

template <Scalar T>
GemmBatch<T> batch_of(const Level3Call& call, std::vector<double>& c) {
  GemmBatch<T> batch{problem_of<T>(call, c), call.products};
  batch.stride_a = static_cast<Index>(call.matrices.a.elements());
  batch.stride_b = static_cast<Index>(call.matrices.b.elements());
  batch.stride_c = static_cast<Index>(call.matrices.c.elements());
  return batch;
}

}  // namespace

StoredMatrices matrices_of(const Routine& routine, const Arguments& x) {
  switch (variants_of(routine)) {
    case Variants::TriangleAndTranspose: {
      const StoredMatrix a = factor(*x.op_a, x.n, x.k, x.lda);
      if (routine.family == Family::RankK) return {a, {}, {x.n, x.n, x.ldc}};
      return {a, {a.rows, a.columns, x.ldb}, {x.n, x.n, x.ldc}};
    }
    case Variants::SideAndTriangle: {
      const Index order = *x.side == Side::Left ? x.m : x.n;
      const StoredMatrix a{order, order, x.lda}, b{x.m, x.n, x.ldb};
      if (routine.family == Family::Symmetric) return {a, b, {x.m, x.n, x.ldc}};
      return {a, {}, b};
    }
    default: {
      const Index m = routine.family == Family::Gemmt ? x.n : x.m;
      return {factor(*x.op_a, m, x.k, x.lda), factor(*x.op_b, x.k, x.n, x.ldb), {m, x.n, x.ldc}};
    }
  }
}

Level3Call make_level3_call(const Routine& routine, const Arguments& arguments, std::array<Complex, 2> alpha_and_beta, Index products,
                            Generator& generator) {
  Level3Call call{&routine, arguments, alpha_and_beta[0], alpha_and_beta[1], products, matrices_of(routine, arguments), {}, {}, {}};
  call.a = random_words(call.matrices.a, products, call.parts(), generator);
  call.b = random_words(call.matrices.b, products, call.parts(), generator);
  call.c = random_words(call.matrices.c, products, call.parts(), generator);
  if (routine.family == Family::TriangularSolve) make_dominant(call);
  const bool reads_c = call.beta != 0.0 || routine.family == Family::TriangularSolve || routine.family == Family::TriangularProduct;
  if (!reads_c) call.c.assign(call.c.size(), std::numeric_limits<double>::quiet_NaN());
  return call;
}

namespace {

// Gives `perform` the call as a problem that writes `c`, or as a batch of them.
template <class Perform>
void with_problem(const Level3Call& call, std::vector<double>& c, const Perform& perform) {
  if (is_batch(*call.routine)) return call.parts() == 1 ? perform(batch_of<double>(call, c)) : perform(batch_of<Complex>(call, c));
  return call.parts() == 1 ? perform(problem_of<double>(call, c)) : perform(problem_of<Complex>(call, c));
}

struct OnRoute {
  blas::Front front;
  template <Scalar T>
  void operator()(const GemmProblem<T>& problem) const {
    blas::run_gemm(problem, front);
  }
  template <Scalar T>
  void operator()(const GemmBatch<T>& batch) const {
    blas::run_gemm_batch(batch, front);
  }
};

}  // namespace

void run_level3(const Level3Call& call, std::vector<double>& c) {
  with_problem(call, c, OnRoute{{call.routine, report::Api::C}});
}

void run_level3(const host_blas::Library& library, const Level3Call& call, std::vector<double>& c) {
  with_problem(call, c, [&](const auto& problem) { host_blas::call(library, *call.routine, problem, {}, thread_state()); });
}

}  // namespace ab::cli
