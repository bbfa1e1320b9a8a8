// SPDX-License-Identifier: MIT
#include "capi/arguments.hpp"

#include "capi/guarded.hpp"

namespace ab::capi {

std::string shape_text(Index rows, Index cols) {
  return std::to_string(rows) + "x" + std::to_string(cols);
}

std::string shape_text(const Argument& argument) {
  return std::string(argument.name) + " is " + shape_text(argument.matrix->rows, argument.matrix->cols);
}

void require_handles(Arguments arguments) {
  for (const Argument& argument : arguments) {
    if (!argument.matrix) fail(Status::InvalidArgument, std::string(argument.name) + " is NULL, expected a matrix");
  }
}

void require_equal_shapes(Arguments arguments) {
  const Argument& first = arguments.front();
  for (const Argument& other : arguments.subspan(1)) {
    if (other.matrix->rows == first.matrix->rows && other.matrix->cols == first.matrix->cols) continue;
    fail(Status::DimensionMismatch, shape_text(first) + ", " + shape_text(other) + ": shapes differ");
  }
}

void require_usable(Arguments arguments) {
  for (const Argument& argument : arguments) {
    const auto& context = argument.matrix->context;
    if (!context) fail(Status::NoDevice, std::string(argument.name) + " is from before ab_shutdown and can only be destroyed");
    if (ops::alive(*context)) continue;
    const char* why = ops::is_forked_child() ? " is on a GPU, which a forked child cannot use" : " is on a device that was lost";
    fail(Status::NoDevice, argument.name + std::string(why));
  }
}

void require_one_device(Arguments arguments) {
  const Argument& first = arguments.front();
  for (const Argument& other : arguments.subspan(1)) {
    const int here = ops::index_of(*first.matrix->context), there = ops::index_of(*other.matrix->context);
    if (here == there) continue;
    fail(Status::InvalidArgument, std::string(first.name) + " is on device " + std::to_string(here) + ", " + other.name + " on device " +
                                      std::to_string(there) + ": operands must share one device");
  }
}

void require_distinct(Arguments inputs, Arguments outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (outputs[i].matrix != outputs[j].matrix) continue;
      fail(Status::InvalidArgument, std::string(outputs[j].name) + " and " + outputs[i].name + " are the same matrix: outputs must differ");
    }
    for (const Argument& input : inputs) {
      if (outputs[i].matrix != input.matrix) continue;
      fail(Status::InvalidArgument,
           std::string(outputs[i].name) + " is the same matrix as " + input.name + ": an output must not be an input");
    }
  }
}

void require_contents(Arguments arguments) {
  require_contents(arguments, [](const ABMatrix_s& matrix) { return matrix.has_contents.load(); });
}

void require_contents(Arguments arguments, const IsDefined& is_defined) {
  for (const Argument& argument : arguments) {
    if (!is_defined(*argument.matrix)) {
      fail(Status::NotUploaded, std::string(argument.name) + " has no contents: upload, zero or compute it first");
    }
  }
}

}  // namespace ab::capi
