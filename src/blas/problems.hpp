// SPDX-License-Identifier: MIT
// Arguments of each family of routines as one problem, and back.
#pragma once
#include "core/arguments.hpp"
#include "core/problem.hpp"

namespace ab::blas {

/// The arguments of a call as they were passed. What a routine lacks keeps its default; real scalars of complex routines have no
/// imaginary part.
template <Scalar T>
struct PassedCall {
  Arguments arguments;
  T alpha{};
  const T* a = nullptr;
  const T* b = nullptr;
  T beta{};
  T* c = nullptr;  // of TRMM and TRSM, too, what the call writes
};

/// A row-major call as the column-major one on the same memory, and back.
template <Scalar T>
constexpr PassedCall<T> exchanged(const Routine& routine, PassedCall<T> call) {
  call.arguments = exchanged(routine, call.arguments);
  if (variants_of(routine) == Variants::Transposes) std::swap(call.a, call.b);
  if constexpr (std::same_as<T, Complex>) {
    if (routine.family == Family::RankTwo && routine.hermitian) call.alpha = std::conj(call.alpha);
  }
  return call;
}

/// op that makes the right factor of the left one, or undoes it.
constexpr Op opposite(const Routine& routine, Op op) {
  return op != Op::None ? Op::None : routine.hermitian ? Op::ConjugateTranspose : Op::Transpose;
}

template <Scalar T>
constexpr GemmProblem<T> rank_problem_of(const Routine& routine, const PassedCall<T>& call) {
  const Arguments& x = call.arguments;
  const bool two = routine.family == Family::RankTwo;
  const Op right = opposite(routine, *x.op_a);
  return {x.n,
          x.n,
          x.k,
          call.alpha,
          {call.a, x.lda, *x.op_a},
          {two ? call.b : call.a, two ? x.ldb : x.lda, right},
          call.beta,
          {call.c, x.ldc},
          *x.uplo,
          routine.hermitian,
          two ? Operation::RankTwo : Operation::Product};
}

template <Scalar T>
constexpr GemmProblem<T> sided_problem_of(const Routine& routine, const PassedCall<T>& call) {
  const Arguments& x = call.arguments;
  const bool symmetric = routine.family == Family::Symmetric, left = *x.side == Side::Left;
  const Form form = !symmetric          ? (*x.diag == Diagonal::Unit ? Form::UnitTriangular : Form::Triangular)
                    : routine.hermitian ? Form::Hermitian
                                        : Form::Symmetric;
  const Operand<T> special{call.a, x.lda, *x.op_a, form, *x.uplo};
  const Operand<T> general{symmetric ? call.b : call.c, x.ldb, Op::None};
  const Operation operation = routine.family == Family::TriangularSolve ? Operation::Solve : Operation::Product;
  return {x.m,
          x.n,
          left ? x.m : x.n,
          call.alpha,
          left ? special : general,
          left ? general : special,
          symmetric ? call.beta : T(0),
          {call.c, symmetric ? x.ldc : x.ldb},
          Triangle::Full,
          false,
          operation};
}

/// The problem of a column-major call whose arguments have been checked.
template <Scalar T>
[[gnu::always_inline]] constexpr GemmProblem<T> problem_of(const Routine& routine, const PassedCall<T>& call) {
  const Arguments& x = call.arguments;
  switch (variants_of(routine)) {
    case Variants::TriangleAndTranspose:
      return rank_problem_of(routine, call);
    case Variants::SideAndTriangle:
      return sided_problem_of(routine, call);
    default: {
      const bool gemmt = routine.family == Family::Gemmt;
      return {gemmt ? x.n : x.m,
              x.n,
              x.k,
              call.alpha,
              {call.a, x.lda, *x.op_a},
              {call.b, x.ldb, *x.op_b},
              call.beta,
              {call.c, x.ldc},
              gemmt ? *x.uplo : Triangle::Full};
    }
  }
}

/// The arguments that such a problem came from. Leading dimensions that the routine lacks are 0.
template <Scalar T>
constexpr Arguments arguments_of(const Routine& routine, const GemmProblem<T>& problem) {
  const bool left = problem.a.form != Form::General;
  const Operand<T>& special = left ? problem.a : problem.b;
  const Operand<T>& general = left ? problem.b : problem.a;
  Arguments x;
  x.m = problem.m, x.n = problem.n, x.k = problem.k;
  switch (variants_of(routine)) {
    case Variants::TriangleAndTranspose:
      x.uplo = problem.triangle;
      x.op_a = problem.a.op;
      x.lda = problem.a.ld, x.ldb = routine.family == Family::RankTwo ? problem.b.ld : 0, x.ldc = problem.c.ld;
      break;
    case Variants::SideAndTriangle:
      x.side = left ? Side::Left : Side::Right;
      x.uplo = special.stored;
      x.op_a = special.op;
      x.diag = special.form == Form::UnitTriangular ? Diagonal::Unit : Diagonal::Stored;
      x.lda = special.ld, x.ldb = general.ld, x.ldc = routine.family == Family::Symmetric ? problem.c.ld : 0;
      break;
    default:
      x.uplo = problem.triangle;
      x.op_a = problem.a.op, x.op_b = problem.b.op;
      x.lda = problem.a.ld, x.ldb = problem.b.ld, x.ldc = problem.c.ld;
  }
  return x;
}

}  // namespace ab::blas
