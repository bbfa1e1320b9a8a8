// SPDX-License-Identifier: MIT
#include "blas/checked_gemm.hpp"

#include "blas/xerbla.hpp"
#include "core/arguments.hpp"

namespace ab::blas {

template <Scalar T>
void check_and_run(const PassedGemm<T>& passed, report::Api api) noexcept {
  const auto& [trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc] = passed;
  const GemmArguments arguments{op_of_letter(trans_a), op_of_letter(trans_b), m, n, k, lda, ldb, ldc};
  if (const std::optional<ArgumentFault> fault = find_fault(arguments)) {
    return report_fault(padded_gemm_name<T>, *fault, fault->position == 1 ? trans_a : trans_b);
  }
  run_gemm(GemmProblem<T>{m, n, k, alpha, {a, lda, *arguments.op_a}, {b, ldb, *arguments.op_b}, beta, {c, ldc}}, {gemm_name<T>, api});
}

template void check_and_run(const PassedGemm<double>&, report::Api) noexcept;
template void check_and_run(const PassedGemm<Complex>&, report::Api) noexcept;

}  // namespace ab::blas
