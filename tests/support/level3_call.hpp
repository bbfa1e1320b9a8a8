// SPDX-License-Identifier: MIT
// Random calls of every level-3 routine on small integers, whose results are exact in every order of summation, with what C must hold
// afterwards; made through the exported names. What may not be read is NaN, and what may not be written is compared with before.
#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "core/arguments.hpp"
#include "core/routines.hpp"

namespace ab::test {

enum class Layout { Columns, Rows };
enum class Name { Fortran, Fortran64, Cblas, CblasUnderscore64, Cblas64 };  // dgemm_ dgemm_64_ cblas_dgemm cblas_dgemm_64 cblas_dgemm64_

/// A letter as Fortran and CBLAS pass it.
struct Spelling {
  char letter;
  int number;
};

struct Level3Call {
  const Routine* routine = nullptr;
  Layout layout = Layout::Columns;
  Arguments arguments;             // as passed
  Spelling unknown{'X', 99};       // what is passed for a letter that is none
  std::array<Index, 3> padding{};  // of A, B, C: what leading dimensions have beyond the least
  Complex alpha, beta;
  std::vector<double> a, b, c;   // of TRMM and TRSM, B is c
  std::vector<double> expected;  // c afterwards
};

/// A number below its argument.
using Draw = std::function<Index(Index)>;

/// Sizes from 0 to `most`. TRSM: right sides whose solution is of integers.
Level3Call draw_call(const Routine& routine, Layout layout, Index most, const Draw& draw);
/// The same for one choice of all letters.
struct Letters {
  Side side = Side::Left;
  Triangle uplo = Triangle::Upper;
  Op op_a = Op::None, op_b = Op::None;
  Diagonal diag = Diagonal::Stored;
};
struct Sizes3 {
  Index m, n, k;
};
Level3Call draw_call(const Routine& routine, Layout layout, const Letters& letters, const Sizes3& sizes, const Draw& draw);
/// Other matrices for the same arguments and scalars.
Level3Call draw_like(Level3Call call, const Draw& draw);

/// All choices of letters that the routine has.
std::vector<Letters> letters_of(const Routine& routine);

constexpr bool is_cblas(Name name) {
  return name != Name::Fortran && name != Name::Fortran64;
}
constexpr bool is_wide(Name name) {
  return name != Name::Fortran && name != Name::Cblas;
}
/// Calls the name that this program sees. False: there is no such function.
bool invoke(Level3Call& call, Name name);

/// "" when c is what was expected: entries by value, everything else bit by bit. Or the first difference.
std::string difference(const Level3Call& call);
/// The call in words.
std::string describe(const Level3Call& call);

}  // namespace ab::test
