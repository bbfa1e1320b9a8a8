// SPDX-License-Identifier: MIT
// Enums of C callers as the library's own. InvalidArgument, naming the argument, for a number that is none of theirs.
#pragma once
#include "capi/arguments.hpp"
#include "capi/guarded.hpp"

namespace ab::capi {

/// `value` of a two-valued enum: 0 is the first, 1 the second.
template <class Ours>
Ours one_of_two(const char* name, int value, Ours first, Ours second) {
  if (value != 0 && value != 1) fail(Status::InvalidArgument, std::string(name) + " is " + std::to_string(value) + ", expected 0 or 1");
  return value == 0 ? first : second;
}

inline Op op_of(const char* name, int number) {
  switch (number) {
    case AB_NO_TRANS:
      return Op::None;
    case AB_TRANS:
      return Op::Transpose;
    case AB_CONJ_TRANS:
      return Op::ConjugateTranspose;
    default:
      fail(Status::InvalidArgument, std::string(name) + " is " + std::to_string(number) + ", expected 0, 1 or 2");
  }
}

}  // namespace ab::capi
