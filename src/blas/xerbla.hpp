// SPDX-License-Identifier: MIT
// What happens after a bad argument: the program's own handler, or one line on stderr (spec 4.3). A handler may leave by an exception or
// longjmp of its own: nothing is held while it runs, and nothing in the way to it is noexcept.
#pragma once
#include "blas/gemm.hpp"
#include "core/arguments.hpp"

namespace ab::blas {

/// A bad argument of a Fortran or by-value call. `routine` is padded to six characters: "DGEMM ".
void report_fault(const char* routine, const ArgumentFault& fault, char letter);

/// A bad enum of a CBLAS call: `position` in the CBLAS argument list.
struct CblasEnum {
  int position;
  const char* name;
  int value;
};
void report_cblas_enum(const char* routine, const CblasEnum& bad);

/// A bad size of a CBLAS call, found in its column-major form (row-major: with A and B exchanged), whose numbers go to handlers.
/// `routine`, `fortran_routine`: "cblas_dgemm", "DGEMM ".
void report_cblas_fault(const char* routine, const char* fortran_routine, Order order, const ArgumentFault& fault);

}  // namespace ab::blas
