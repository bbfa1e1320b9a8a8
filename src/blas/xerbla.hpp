// SPDX-License-Identifier: MIT
// What happens after a bad argument: the program's own handler, or one line on stderr (spec 4.3). A handler may leave by an exception or
// longjmp of its own: nothing is held while it runs, and nothing in the way to it is noexcept.
#pragma once
#include "blas/gemm.hpp"
#include "core/arguments.hpp"

namespace ab::blas {

/// A bad argument of a Fortran or by-value call. Handlers get the routine's name in capitals, padded to six characters: "DGEMM ".
void report_fault(const Front& front, const ArgumentFault& fault, char letter);

/// A bad enum of a CBLAS call: `position` in the CBLAS argument list.
struct CblasEnum {
  int position;
  const char* name;
  int value;
  const char* expected;  // null: the numbers of the letters that `name` has
};
void report_cblas_enum(const Front& front, const CblasEnum& bad);

/// A bad size of a CBLAS call, found in its column-major form, whose numbers go to handlers.
void report_cblas_fault(const Front& front, const ArgumentFault& fault);

}  // namespace ab::blas
