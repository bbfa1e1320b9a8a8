// SPDX-License-Identifier: MIT
// Each check alone: what it refuses, with which status and text.
#include "capi/arguments.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/error.hpp"

namespace ab::capi {
namespace {

template <class Check>
std::pair<int, std::string> refusal(const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    return {static_cast<int>(error.status()), error.what()};
  }
  return {0, ""};
}

struct Shaped : ABMatrix_s {
  Shaped(int given_rows, int given_cols) {
    rows = given_rows;
    cols = given_cols;
  }
};

TEST(Arguments, TheFirstNullIsNamed) {
  Shaped matrix(1, 1);
  const std::array<Argument, 3> all = {{{"A", &matrix}, {"B", nullptr}, {"C", nullptr}}};
  EXPECT_EQ(refusal([&] { require_handles(all); }), (std::pair(-6, std::string("B is NULL, expected a matrix"))));
  EXPECT_EQ(refusal([&] { require_handles(std::span(all).first(1)); }).first, 0);
}

TEST(Arguments, ShapesAreComparedWithTheFirst) {
  Shaped a(2, 3), b(2, 3), c(3, 2), d(6, 1);
  const std::array<Argument, 3> transposed = {{{"A", &a}, {"B", &b}, {"C", &c}}};
  const std::array<Argument, 2> equal_count = {{{"A", &a}, {"D", &d}}};
  EXPECT_EQ(refusal([&] { require_equal_shapes(transposed); }), (std::pair(-3, std::string("A is 2x3, C is 3x2: shapes differ"))));
  EXPECT_EQ(refusal([&] { require_equal_shapes(equal_count); }), (std::pair(-3, std::string("A is 2x3, D is 6x1: shapes differ"))));
  EXPECT_EQ(refusal([&] { require_equal_shapes(std::span(transposed).first(2)); }).first, 0);
}

TEST(Arguments, AHandleWithoutContextIsFromBeforeAShutdown) {
  Shaped matrix(1, 1);
  const std::array<Argument, 1> all = {{{"A", &matrix}}};
  EXPECT_EQ(refusal([&] { require_usable(all); }), (std::pair(-1, std::string("A is from before ab_shutdown and can only be destroyed"))));
}

TEST(Arguments, OutputsAreNeitherInputsNorEachOther) {
  ABMatrix_s a, b, c, d;
  const std::array<Argument, 2> inputs = {{{"A", &a}, {"B", &b}}};
  const std::array<Argument, 2> fine = {{{"C", &c}, {"D", &d}}}, twice = {{{"C", &c}, {"D", &c}}}, input = {{{"C", &c}, {"D", &b}}};
  EXPECT_EQ(refusal([&] { require_distinct(inputs, fine); }).first, 0);
  EXPECT_EQ(refusal([&] { require_distinct(inputs, twice); }),
            (std::pair(-6, std::string("C and D are the same matrix: outputs must differ"))));
  EXPECT_EQ(refusal([&] { require_distinct(inputs, input); }),
            (std::pair(-6, std::string("D is the same matrix as B: an output must not be an input"))));
}

TEST(Arguments, ContentsAreRequired) {
  ABMatrix_s full, empty;
  full.has_contents = true;
  const std::array<Argument, 2> all = {{{"A", &full}, {"B", &empty}}};
  EXPECT_EQ(refusal([&] { require_contents(all); }), (std::pair(-4, std::string("B has no contents: upload, zero or compute it first"))));
  EXPECT_EQ(refusal([&] { require_contents(std::span(all).first(1)); }).first, 0);
}

}  // namespace
}  // namespace ab::capi
