// SPDX-License-Identifier: MIT
#include "blas/data_path.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "blas/faked_layers.hpp"

namespace ab::blas {
namespace {

TEST(DataPath, InPlaceWhenAllOperandsAreRegistered) {
  test::reset();
  // A 2 x 3 (ld 4), transposed B 3 x 2 stored as 2 x 3 (ld 5), C 2 x 2 (ld 3), one behind the other.
  std::vector<double> words(64);
  const double *a = words.data(), *b = a + 2 * 4 + 2;
  double* c = words.data() + (2 * 4 + 2) + (2 * 5 + 2);
  const std::size_t all = (2 * 4 + 2) + (2 * 5 + 2) + (3 + 2);
  const GemmProblem<double> problem{2, 2, 3, 1, {a, 4, Op::None}, {b, 5, Op::Transpose}, 0, {c, 3}};
  EXPECT_EQ(path_of(problem), routing::DataPath::Copied);
  test::faked().registered = std::as_bytes(std::span(words).first(all));
  EXPECT_EQ(path_of(problem), routing::DataPath::InPlace);
  test::faked().registered = std::as_bytes(std::span(words).first(all - 1));  // the last element of C
  EXPECT_EQ(path_of(problem), routing::DataPath::Copied);
  test::faked().registered = std::as_bytes(std::span(words).subspan(1));
  EXPECT_EQ(path_of(problem), routing::DataPath::Copied);
}

}  // namespace
}  // namespace ab::blas
