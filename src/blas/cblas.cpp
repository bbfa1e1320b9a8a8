// SPDX-License-Identifier: MIT
// The CBLAS names. A row-major call is the column-major call with A and B exchanged: the same memory read the other way round.
#include "apple_bottom_blas.h"
#include "blas/checked_gemm.hpp"
#include "blas/host_arithmetic.hpp"
#include "blas/xerbla.hpp"

namespace ab::blas {
namespace {

struct CblasLetters {  // as passed
  int order, trans_a, trans_b;
};

std::optional<Order> order_of(int order) {
  if (order == 101) return Order::RowMajor;
  if (order == 102) return Order::ColumnMajor;
  return std::nullopt;
}

std::optional<Op> op_of(int trans) {
  switch (trans) {
    case 111:
      return Op::None;
    case 112:
      return Op::Transpose;
    case 113:
      return Op::ConjugateTranspose;
    default:
      return std::nullopt;
  }
}

std::optional<CblasEnum> find_bad_enum(const CblasLetters& letters) {
  if (!order_of(letters.order)) return CblasEnum{1, "order", letters.order};
  if (!op_of(letters.trans_a)) return CblasEnum{2, "transA", letters.trans_a};
  if (!op_of(letters.trans_b)) return CblasEnum{3, "transB", letters.trans_b};
  return std::nullopt;
}

template <Scalar T>
GemmProblem<T> exchanged(const GemmProblem<T>& problem) {
  return {problem.n, problem.m, problem.k, problem.alpha, problem.b, problem.a, problem.beta, problem.c};
}

template <Scalar T>
inline constexpr const char* cblas_name = std::same_as<T, double> ? "cblas_dgemm" : "cblas_zgemm";

/// `problem` as passed; its ops are taken from `letters`.
template <Scalar T>
void check_and_run_cblas(const CblasLetters& letters, GemmProblem<T> problem) {
  if (const std::optional<CblasEnum> bad = find_bad_enum(letters)) return report_cblas_enum(cblas_name<T>, *bad);
  const Order order = *order_of(letters.order);
  problem.a.op = *op_of(letters.trans_a);
  problem.b.op = *op_of(letters.trans_b);
  if (order == Order::RowMajor) problem = exchanged(problem);
  const GemmArguments arguments{problem.a.op, problem.b.op, problem.m, problem.n, problem.k, problem.a.ld, problem.b.ld, problem.c.ld};
  if (const std::optional<ArgumentFault> fault = find_fault(arguments)) {
    return report_cblas_fault(cblas_name<T>, padded_gemm_name<T>, order, *fault);
  }
  run_gemm(problem, {gemm_routine<T>, report::Api::Cblas, order});
}

}  // namespace
}  // namespace ab::blas

using ab::Complex;
using ab::blas::check_and_run_cblas;
using ab::blas::load;

extern "C" {

AB_API void cblas_dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
                        int ldb, double beta, double* c, int ldc) {
  check_and_run_cblas<double>({order, trans_a, trans_b}, {m, n, k, alpha, {a, lda, {}}, {b, ldb, {}}, beta, {c, ldc}});
}

AB_API void cblas_zgemm(int order, int trans_a, int trans_b, int m, int n, int k, const void* alpha, const void* a, int lda, const void* b,
                        int ldb, const void* beta, void* c, int ldc) {
  check_and_run_cblas<Complex>({order, trans_a, trans_b}, {m,
                                                           n,
                                                           k,
                                                           load(static_cast<const Complex*>(alpha)),
                                                           {static_cast<const Complex*>(a), lda, {}},
                                                           {static_cast<const Complex*>(b), ldb, {}},
                                                           load(static_cast<const Complex*>(beta)),
                                                           {static_cast<Complex*>(c), ldc}});
}

}  // extern "C"
