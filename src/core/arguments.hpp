// SPDX-License-Identifier: MIT
// The argument rules of BLAS routines (spec 4.3), shared by the front doors: what is wrong first, under Netlib's number. Inline, since
// a small product spends more time here than in multiplying.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/routines.hpp"
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

/// One of two letters, in either case.
template <class Value>
constexpr std::optional<Value> one_of_letters(char letter, std::pair<char, Value> first, std::pair<char, Value> second) {
  const char upper = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  if (upper == first.first) return first.second;
  if (upper == second.first) return second.second;
  return std::nullopt;
}
constexpr std::optional<Side> side_of_letter(char letter) {
  return one_of_letters<Side>(letter, {'L', Side::Left}, {'R', Side::Right});
}
constexpr std::optional<Triangle> triangle_of_letter(char letter) {
  return one_of_letters<Triangle>(letter, {'U', Triangle::Upper}, {'L', Triangle::Lower});
}
constexpr std::optional<Diagonal> diagonal_of_letter(char letter) {
  return one_of_letters<Diagonal>(letter, {'N', Diagonal::Stored}, {'U', Diagonal::Unit});
}

/// 'N', 'T' or 'C'.
constexpr char letter_of(Op op) {
  return op == Op::None ? 'N' : op == Op::Transpose ? 'T' : 'C';
}
constexpr char letter_of(Side side) {
  return side == Side::Left ? 'L' : 'R';
}
constexpr char letter_of(Triangle triangle) {
  return triangle == Triangle::Upper ? 'U' : 'L';
}
constexpr char letter_of(Diagonal diagonal) {
  return diagonal == Diagonal::Unit ? 'U' : 'N';
}

/// The arguments of a level-3 routine that can be wrong; a letter that is none was no legal one. What a routine lacks keeps its default.
struct Arguments {
  std::optional<Side> side = Side::Left;
  std::optional<Triangle> uplo = Triangle::Full;
  std::optional<Op> op_a = Op::None;  // `trans` of rank-k and rank-2k routines
  std::optional<Op> op_b = Op::None;
  std::optional<Diagonal> diag = Diagonal::Stored;
  Index m = 0, n = 0, k = 0;
  Index lda = 1, ldb = 1, ldc = 1;
};

/// One bad argument of a routine.
struct ArgumentFault {
  int position;                    // Netlib's number: the place in the Fortran argument list, from 1
  const char* name;                // "lda"; static storage
  Index value;                     // what was passed; not used for letters
  Index least;                     // the smallest legal value; -1 for letters
  const char* expected = nullptr;  // "N, T or C"; letters only
};

/// The smallest leading dimensions of A, B and C of GEMM.
constexpr std::array<Index, 3> least_leading_dimensions(Op op_a, Op op_b, Index m, Index n, Index k) {
  return {std::max<Index>(1, op_a == Op::None ? m : k), std::max<Index>(1, op_b == Op::None ? k : n), std::max<Index>(1, m)};
}

/// Keeps the first of the faults that checks in the order of the argument list find.
class FirstFault {
 public:
  template <class Letter>
  constexpr void letter(const std::optional<Letter>& value, int position, const char* name, const char* expected) {
    if (!value && !found_) found_ = ArgumentFault{position, name, 0, -1, expected};
  }
  constexpr void size(Index value, int position, const char* name, Index least = 0) {
    if (value < least && !found_) found_ = ArgumentFault{position, name, value, least};
  }
  constexpr void leading_dimension(Index value, int position, const char* name, Index rows) {
    size(value, position, name, std::max<Index>(1, rows));
  }
  constexpr const std::optional<ArgumentFault>& found() const { return found_; }

 private:
  std::optional<ArgumentFault> found_;
};

inline constexpr const char* side_letters = "L or R";
inline constexpr const char* triangle_letters = "U or L";
inline constexpr const char* diagonal_letters = "N or U";
inline constexpr const char* op_letters = "N, T or C";

/// Of GEMM, in its own words: the most frequent call ends its checks early.
constexpr std::optional<ArgumentFault> find_gemm_fault(const Arguments& arguments) {
  const auto& [side, uplo, op_a, op_b, diag, m, n, k, lda, ldb, ldc] = arguments;
  if (!op_a) return ArgumentFault{1, "transA", 0, -1, op_letters};
  if (!op_b) return ArgumentFault{2, "transB", 0, -1, op_letters};
  if (m < 0) return ArgumentFault{3, "m", m, 0};
  if (n < 0) return ArgumentFault{4, "n", n, 0};
  if (k < 0) return ArgumentFault{5, "k", k, 0};
  const auto [least_lda, least_ldb, least_ldc] = least_leading_dimensions(*op_a, *op_b, m, n, k);
  if (lda < least_lda) return ArgumentFault{8, "lda", lda, least_lda};
  if (ldb < least_ldb) return ArgumentFault{10, "ldb", ldb, least_ldb};
  if (ldc < least_ldc) return ArgumentFault{13, "ldc", ldc, least_ldc};
  return std::nullopt;
}

/// The strides of a strided batch stand between GEMM's arguments.
constexpr std::optional<ArgumentFault> find_strided_fault(const Arguments& arguments) {
  std::optional<ArgumentFault> fault = find_gemm_fault(arguments);
  if (fault && fault->position >= 10) fault->position += fault->position == 10 ? 1 : 2;
  return fault;
}

constexpr std::optional<ArgumentFault> find_gemmt_fault(const Arguments& x) {
  FirstFault first;
  first.letter(x.uplo, 1, "uplo", triangle_letters);
  first.letter(x.op_a, 2, "transA", op_letters);
  first.letter(x.op_b, 3, "transB", op_letters);
  first.size(x.n, 4, "n");
  first.size(x.k, 5, "k");
  first.leading_dimension(x.lda, 8, "lda", x.op_a == Op::None ? x.n : x.k);
  first.leading_dimension(x.ldb, 10, "ldb", x.op_b == Op::None ? x.k : x.n);
  first.leading_dimension(x.ldc, 13, "ldc", x.n);
  return first.found();
}

/// The ops that a rank-k or rank-2k routine has.
constexpr std::optional<Op> legal_trans(const Routine& routine, std::optional<Op> op) {
  const Op missing = routine.hermitian ? Op::Transpose : Op::ConjugateTranspose;
  return routine.complex && op == missing ? std::nullopt : op;
}
constexpr std::optional<ArgumentFault> find_rank_fault(const Routine& routine, const Arguments& x) {
  const bool two = routine.family == Family::RankTwo;
  const Index rows = x.op_a == Op::None ? x.n : x.k;
  FirstFault first;
  first.letter(x.uplo, 1, "uplo", triangle_letters);
  first.letter(legal_trans(routine, x.op_a), 2, "trans", !routine.complex ? op_letters : routine.hermitian ? "N or C" : "N or T");
  first.size(x.n, 3, "n");
  first.size(x.k, 4, "k");
  first.leading_dimension(x.lda, 7, "lda", rows);
  if (two) first.leading_dimension(x.ldb, 9, "ldb", rows);
  first.leading_dimension(x.ldc, two ? 12 : 10, "ldc", x.n);
  return first.found();
}

constexpr std::optional<ArgumentFault> find_symmetric_fault(const Arguments& x) {
  FirstFault first;
  first.letter(x.side, 1, "side", side_letters);
  first.letter(x.uplo, 2, "uplo", triangle_letters);
  first.size(x.m, 3, "m");
  first.size(x.n, 4, "n");
  first.leading_dimension(x.lda, 7, "lda", x.side == Side::Left ? x.m : x.n);
  first.leading_dimension(x.ldb, 9, "ldb", x.m);
  first.leading_dimension(x.ldc, 12, "ldc", x.m);
  return first.found();
}

constexpr std::optional<ArgumentFault> find_triangular_fault(const Arguments& x) {
  FirstFault first;
  first.letter(x.side, 1, "side", side_letters);
  first.letter(x.uplo, 2, "uplo", triangle_letters);
  first.letter(x.op_a, 3, "transA", op_letters);
  first.letter(x.diag, 4, "diag", diagonal_letters);
  first.size(x.m, 5, "m");
  first.size(x.n, 6, "n");
  first.leading_dimension(x.lda, 9, "lda", x.side == Side::Left ? x.m : x.n);
  first.leading_dimension(x.ldb, 11, "ldb", x.m);
  return first.found();
}

/// The first bad argument of a column-major call in the order of the argument list, or none. Holds for empty matrices too. Batches:
/// the arguments of one group.
[[gnu::always_inline]] constexpr std::optional<ArgumentFault> find_fault(const Routine& routine, const Arguments& arguments) {
  switch (routine.family) {
    case Family::Gemmt:
      return find_gemmt_fault(arguments);
    case Family::GemmBatchStrided:
      return find_strided_fault(arguments);
    case Family::RankK:
    case Family::RankTwo:
      return find_rank_fault(routine, arguments);
    case Family::Symmetric:
      return find_symmetric_fault(arguments);
    case Family::TriangularProduct:
    case Family::TriangularSolve:
      return find_triangular_fault(arguments);
    default:
      return find_gemm_fault(arguments);
  }
}

/// A row-major call as the column-major one on the same memory, and back: every matrix is transposed, so factors change places, or
/// sides and triangles.
constexpr Arguments exchanged(const Routine& routine, Arguments x) {
  constexpr auto other_side = [](std::optional<Side> side) {
    return side ? std::optional(*side == Side::Left ? Side::Right : Side::Left) : side;
  };
  constexpr auto other_triangle = [](std::optional<Triangle> uplo) {
    return uplo ? std::optional(*uplo == Triangle::Upper ? Triangle::Lower : Triangle::Upper) : uplo;
  };
  switch (routine.family) {
    case Family::RankK:
    case Family::RankTwo:
      x.uplo = other_triangle(x.uplo);
      if (x.op_a) x.op_a = *x.op_a != Op::None ? Op::None : routine.hermitian ? Op::ConjugateTranspose : Op::Transpose;
      return x;
    case Family::Symmetric:
    case Family::TriangularProduct:
    case Family::TriangularSolve:
      x.side = other_side(x.side);
      x.uplo = other_triangle(x.uplo);
      std::swap(x.m, x.n);
      return x;
    case Family::Gemmt:
      x.uplo = other_triangle(x.uplo);
      break;
    default:
      std::swap(x.m, x.n);
  }
  std::swap(x.op_a, x.op_b);
  std::swap(x.lda, x.ldb);
  return x;
}

}  // namespace ab
