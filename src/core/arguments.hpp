// SPDX-License-Identifier: MIT
// The argument rules of BLAS routines (spec 4.3), shared by the front doors: what is wrong first, under Netlib's number.
#pragma once
#include <array>
#include <optional>

#include "core/types.hpp"

namespace ab {

/// op of a letter N, T, C in either case; none for any other ('R' too).
std::optional<Op> op_of_letter(char letter);
/// 'N', 'T' or 'C'.
char letter_of(Op op);

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
std::array<Index, 3> least_leading_dimensions(Op op_a, Op op_b, Index m, Index n, Index k);

/// The first bad argument in the order of the argument list, or none. Holds for empty matrices too.
std::optional<ArgumentFault> find_fault(const GemmArguments& arguments);

}  // namespace ab
