// SPDX-License-Identifier: MIT
// Which argument of a GEMM is reported, under which number (spec 4.3).
#include "core/arguments.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <string_view>

namespace ab {
namespace {

struct Row {
  const char* what;
  char trans_a, trans_b;
  Index m, n, k, lda, ldb, ldc;
  int position;  // 0: fine
  Index least;
};

// Those of Netlib for DGEMM; the empty matrices are where other libraries are lax.
constexpr Row rows[] = {
    {"fine", 'N', 'N', 2, 3, 4, 2, 4, 2, 0, 0},
    {"fine, transposed", 'T', 'C', 2, 3, 4, 4, 3, 2, 0, 0},
    {"fine, lower case", 't', 'c', 2, 3, 4, 4, 3, 2, 0, 0},
    {"fine, huge", 'N', 'N', INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX, INT_MAX, 0, 0},
    {"empty, all 1", 'N', 'N', 0, 0, 0, 1, 1, 1, 0, 0},
    {"transA", 'X', 'N', 2, 3, 4, 2, 4, 2, 1, -1},
    {"transA before m", 'X', 'N', -1, 3, 4, 2, 4, 2, 1, -1},
    {"transA is NUL", '\0', 'N', 2, 3, 4, 2, 4, 2, 1, -1},
    {"transB is R, which some accept", 'N', 'R', 2, 3, 4, 2, 4, 2, 2, -1},
    {"m", 'N', 'N', -1, -1, -1, 0, 0, 0, 3, 0},
    {"n", 'N', 'N', 2, -1, -1, 0, 0, 0, 4, 0},
    {"k", 'N', 'N', 2, 3, -1, 0, 0, 0, 5, 0},
    {"lda < m", 'N', 'N', 2, 3, 4, 1, 4, 2, 8, 2},
    {"lda < k", 'T', 'N', 2, 3, 4, 3, 4, 2, 8, 4},
    {"lda < k, conjugated", 'C', 'N', 2, 3, 4, 3, 4, 2, 8, 4},
    {"lda = 0 for m = 0", 'N', 'N', 0, 3, 4, 0, 4, 1, 8, 1},
    {"ldb < k", 'N', 'N', 2, 3, 4, 2, 3, 2, 10, 4},
    {"ldb < n", 'N', 'T', 2, 3, 4, 2, 2, 2, 10, 3},
    {"ldb = 0 for k = 0", 'N', 'N', 2, 2, 0, 2, 0, 2, 10, 1},
    {"ldb = 0 for n = 0, T", 'N', 'T', 2, 0, 2, 2, 0, 2, 10, 1},
    {"ldb before ldc", 'N', 'N', 2, 3, 4, 2, 1, 1, 10, 4},
    {"ldc < m", 'T', 'T', 2, 3, 4, 4, 3, 1, 13, 2},
    {"ldc = 0 for m = 0", 'N', 'N', 0, 2, 2, 1, 2, 0, 13, 1},
    {"ldc negative", 'N', 'N', 2, 2, 2, 2, 2, -5, 13, 2},
};

TEST(Arguments, FirstFaultOfGemm) {
  for (const Row& row : rows) {
    const auto fault = find_fault({op_of_letter(row.trans_a), op_of_letter(row.trans_b), row.m, row.n, row.k, row.lda, row.ldb, row.ldc});
    EXPECT_EQ(fault ? fault->position : 0, row.position) << row.what;
    EXPECT_EQ(fault ? fault->least : 0, row.least) << row.what;
  }
}

TEST(Arguments, FaultNamesWhatWasPassed) {
  const auto fault = find_fault({Op::None, Op::None, 5, 2, 2, 3, 2, 5});
  ASSERT_TRUE(fault);
  EXPECT_STREQ(fault->name, "lda");
  EXPECT_EQ(fault->value, 3);
  EXPECT_EQ(fault->least, 5);
}

TEST(Arguments, LettersThereAndBack) {
  for (const char letter : {'N', 'T', 'C'}) {
    const auto op = op_of_letter(letter);
    ASSERT_TRUE(op);
    EXPECT_EQ(letter_of(*op), letter);
    EXPECT_EQ(op_of_letter(static_cast<char>(letter + ('a' - 'A'))), op);
  }
  for (int c = CHAR_MIN; c <= CHAR_MAX; ++c) {
    const bool legal = std::string_view("NnTtCc").find(static_cast<char>(c)) != std::string_view::npos;
    EXPECT_EQ(op_of_letter(static_cast<char>(c)).has_value(), legal) << c;
  }
}

}  // namespace
}  // namespace ab
