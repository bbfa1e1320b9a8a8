// SPDX-License-Identifier: MIT
#include "core/arguments.hpp"

#include <algorithm>

namespace ab {

std::optional<Op> op_of_letter(char letter) {
  switch (letter) {
    case 'N':
    case 'n':
      return Op::None;
    case 'T':
    case 't':
      return Op::Transpose;
    case 'C':
    case 'c':
      return Op::ConjugateTranspose;
    default:
      return std::nullopt;
  }
}

char letter_of(Op op) {
  return op == Op::None ? 'N' : op == Op::Transpose ? 'T' : 'C';
}

std::array<Index, 3> least_leading_dimensions(Op op_a, Op op_b, Index m, Index n, Index k) {
  return {std::max<Index>(1, op_a == Op::None ? m : k), std::max<Index>(1, op_b == Op::None ? k : n), std::max<Index>(1, m)};
}

std::optional<ArgumentFault> find_fault(const GemmArguments& arguments) {
  const auto& [op_a, op_b, m, n, k, lda, ldb, ldc] = arguments;
  if (!op_a) return ArgumentFault{1, "transA", 0, -1};
  if (!op_b) return ArgumentFault{2, "transB", 0, -1};
  if (m < 0) return ArgumentFault{3, "m", m, 0};
  if (n < 0) return ArgumentFault{4, "n", n, 0};
  if (k < 0) return ArgumentFault{5, "k", k, 0};
  const auto [least_lda, least_ldb, least_ldc] = least_leading_dimensions(*op_a, *op_b, m, n, k);
  if (lda < least_lda) return ArgumentFault{8, "lda", lda, least_lda};
  if (ldb < least_ldb) return ArgumentFault{10, "ldb", ldb, least_ldb};
  if (ldc < least_ldc) return ArgumentFault{13, "ldc", ldc, least_ldc};
  return std::nullopt;
}

}  // namespace ab
