// SPDX-License-Identifier: MIT
// The argument rules of BLAS routines (spec 4.3), shared by the front doors: what is wrong first, under Netlib's number. Inline, since
// a small product spends more time here than in multiplying.
#pragma once
#include <algorithm>
#include <array>
#include <optional>

#include "core/types.hpp"

namespace ab {

/// op of a letter N, T, C in either case; none for any other ('R' too).
constexpr std::optional<Op> op_of_letter(char letter) {
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

/// 'N', 'T' or 'C'.
constexpr char letter_of(Op op) {
  return op == Op::None ? 'N' : op == Op::Transpose ? 'T' : 'C';
}

/// The arguments of a column-major GEMM that can be wrong; an op that is none was no legal letter.
struct GemmArguments {
  std::optional<Op> op_a, op_b;
  Index m, n, k;
  Index lda, ldb, ldc;
};

/// One bad argument of a routine.
struct ArgumentFault {
  int position;      // Netlib's number: the place in the Fortran argument list, from 1
  const char* name;  // "lda"; static storage
  Index value;       // what was passed; not used for letters
  Index least;       // the smallest legal value; -1 for letters
};

/// The smallest leading dimensions of A, B and C.
constexpr std::array<Index, 3> least_leading_dimensions(Op op_a, Op op_b, Index m, Index n, Index k) {
  return {std::max<Index>(1, op_a == Op::None ? m : k), std::max<Index>(1, op_b == Op::None ? k : n), std::max<Index>(1, m)};
}

/// The first bad argument in the order of the argument list, or none. Holds for empty matrices too.
constexpr std::optional<ArgumentFault> find_fault(const GemmArguments& arguments) {
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
