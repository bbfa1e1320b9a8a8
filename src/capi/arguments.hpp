// SPDX-License-Identifier: MIT
// Checks that operations on handles share, one per row of the error table, to be called in its order.
#pragma once
#include <cstring>
#include <functional>
#include <span>
#include <string>

#include "capi/matrix.hpp"

namespace ab::capi {

struct Argument {  // a handle under the name that error texts use
  const char* name;
  ABMatrix matrix;
};
using Arguments = std::span<const Argument>;

/// The number behind an enum of a C caller, which need not be one of its values; reading it as an enum would be undefined then.
template <class Enum>
int number_of(const Enum& value) {
  static_assert(sizeof(Enum) == sizeof(int));
  int number;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

std::string shape_text(Index rows, Index cols);  // "3x4"
/// "A is 3x4"
std::string shape_text(const Argument& argument);

/// InvalidArgument: NULL.
void require_handles(Arguments arguments);
/// DimensionMismatch: a shape that differs from the first one's.
void require_equal_shapes(Arguments arguments);
/// NoDevice: a handle from before a shutdown, or on a GPU in a forked child.
void require_usable(Arguments arguments);
/// InvalidArgument: handles on different devices.
void require_one_device(Arguments arguments);
/// InvalidArgument: an output that is also an input, or twice an output.
void require_distinct(Arguments inputs, Arguments outputs);
/// NotUploaded.
void require_contents(Arguments arguments);
/// The same where more than what is there may count as contents.
using IsDefined = std::function<bool(const ABMatrix_s&)>;
void require_contents(Arguments arguments, const IsDefined& is_defined);

/// InvalidArgument: rows or cols that no matrix has.
void require_shape(int rows, int cols);
/// InvalidArgument: NULL.
void require_data(const double* data);
/// Whole matrices in and out, checked and counted.
void upload(const Argument& to, const double* data);
void download(const Argument& from, double* data);

}  // namespace ab::capi
