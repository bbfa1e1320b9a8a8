// SPDX-License-Identifier: MIT
#include "ops/view.hpp"

#include <gtest/gtest.h>

namespace ab::ops {
namespace {

constexpr Index rows = 3, columns = 4, ld = 5, offset = 40;  // of op(X)

// The word of entry (i, j) of op(X), X column-major.
Index word_of(Index i, Index j, Op op, int words, int part) {
  return offset / 8 + words * (op == Op::None ? j * ld + i : i * ld + j) + part;
}

Index word_of(const VectorView& view, Index vector, Index k, int part) {
  return static_cast<Index>(view.parts[static_cast<std::size_t>(part)].offset / 8) + vector * view.vector_stride + k * view.inner_stride;
}

TEST(View, LeftVectorsAreRowsAndRightVectorsAreColumnsOfOpX) {
  for (const Op op : {Op::None, Op::Transpose, Op::ConjugateTranspose}) {
    for (const int words : {1, 2}) {
      const VectorView left = left_operand({nullptr, offset}, words, op, rows, columns, ld);
      const VectorView right = right_operand({nullptr, offset}, words, op, rows, columns, ld);
      EXPECT_EQ(left.vectors, rows);
      EXPECT_EQ(left.inner, columns);
      EXPECT_EQ(right.vectors, columns);
      EXPECT_EQ(right.inner, rows);
      for (const VectorView& view : {left, right}) {
        EXPECT_EQ(view.part_count, words);
        EXPECT_EQ(view.conjugate, words == 2 && op == Op::ConjugateTranspose);
        EXPECT_FALSE(view.negate);
      }
      for (int part = 0; part < words; ++part) {
        for (Index i = 0; i < rows; ++i) {
          for (Index j = 0; j < columns; ++j) {
            EXPECT_EQ(word_of(left, i, j, part), word_of(i, j, op, words, part));
            EXPECT_EQ(word_of(right, j, i, part), word_of(i, j, op, words, part));
          }
        }
      }
    }
  }
}

TEST(View, ResultsAreColumnMajor) {
  for (const int words : {1, 2}) {
    const ResultView view = result({nullptr, offset}, words, rows, columns, ld);
    EXPECT_EQ(view.rows, rows);
    EXPECT_EQ(view.columns, columns);
    EXPECT_EQ(view.part_count, words);
    EXPECT_EQ(view.row_stride, words);
    EXPECT_EQ(view.column_stride, words * ld);
    EXPECT_EQ(view.parts[0].offset, static_cast<std::size_t>(offset));
    EXPECT_EQ(view.parts[1].offset, static_cast<std::size_t>(words == 2 ? offset + 8 : offset));
  }
}

}  // namespace
}  // namespace ab::ops
