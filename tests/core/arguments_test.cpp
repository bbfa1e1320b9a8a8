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
    const auto fault = find_gemm_fault({.op_a = op_of_letter(row.trans_a),
                                        .op_b = op_of_letter(row.trans_b),
                                        .m = row.m,
                                        .n = row.n,
                                        .k = row.k,
                                        .lda = row.lda,
                                        .ldb = row.ldb,
                                        .ldc = row.ldc});
    EXPECT_EQ(fault ? fault->position : 0, row.position) << row.what;
    EXPECT_EQ(fault ? fault->least : 0, row.least) << row.what;
  }
}

// One argument spoiled at a time, in calls with m = 2, n = 3, k = 4 and leading dimensions of 9: position by routine, 0 where it has none.
struct Spoiled {
  const char* what;
  void (*spoil)(Arguments&);
  int gemm, gemmt, rank_k, rank_two, symmetric, triangular, strided;
};
constexpr Spoiled spoiled[] = {
    {"side", [](Arguments& x) { x.side.reset(); }, 0, 0, 0, 0, 1, 1, 0},
    {"uplo", [](Arguments& x) { x.uplo.reset(); }, 0, 1, 1, 1, 2, 2, 0},
    {"transA", [](Arguments& x) { x.op_a.reset(); }, 1, 2, 2, 2, 0, 3, 1},
    {"transB", [](Arguments& x) { x.op_b.reset(); }, 2, 3, 0, 0, 0, 0, 2},
    {"diag", [](Arguments& x) { x.diag.reset(); }, 0, 0, 0, 0, 0, 4, 0},
    {"m", [](Arguments& x) { x.m = -1; }, 3, 0, 0, 0, 3, 5, 3},
    {"n", [](Arguments& x) { x.n = -1; }, 4, 4, 3, 3, 4, 6, 4},
    {"k", [](Arguments& x) { x.k = -1; }, 5, 5, 4, 4, 0, 0, 5},
    {"lda", [](Arguments& x) { x.lda = 1; }, 8, 8, 7, 7, 7, 9, 8},
    {"ldb", [](Arguments& x) { x.ldb = 1; }, 10, 10, 0, 9, 9, 11, 11},
    {"ldc", [](Arguments& x) { x.ldc = 1; }, 13, 13, 10, 12, 12, 0, 15},
};

int position_in(const Spoiled& row, Family family) {
  switch (family) {
    case Family::Gemmt:
      return row.gemmt;
    case Family::RankK:
      return row.rank_k;
    case Family::RankTwo:
      return row.rank_two;
    case Family::Symmetric:
      return row.symmetric;
    case Family::TriangularProduct:
    case Family::TriangularSolve:
      return row.triangular;
    case Family::GemmBatchStrided:
      return row.strided;
    default:
      return row.gemm;
  }
}

TEST(Arguments, EveryRoutineHasNetlibsNumbers) {
  for (const Routine& routine : routines) {
    const Arguments fine{.m = 2, .n = 3, .k = 4, .lda = 9, .ldb = 9, .ldc = 9};
    EXPECT_FALSE(find_fault(routine, fine)) << routine.name;
    for (std::size_t first = 0; first < std::size(spoiled); ++first) {
      Arguments bad = fine;
      for (std::size_t i = first; i < std::size(spoiled); ++i) spoiled[i].spoil(bad);  // all from there on: the first counts
      int expected = 0;
      for (std::size_t i = std::size(spoiled); i-- > first;) {
        if (const int position = position_in(spoiled[i], routine.family); position != 0) expected = position;
      }
      const auto fault = find_fault(routine, bad);
      EXPECT_EQ(fault ? fault->position : 0, expected) << routine.name << " from " << spoiled[first].what << " on";
    }
  }
}

TEST(Arguments, RankUpdatesHaveTheirOwnLetters) {
  const struct {
    const char* routine;
    bool legal[3];  // N, T, C
  } rows[] = {{"dsyrk", {true, true, true}},  {"zsyrk", {true, true, false}},  {"zherk", {true, false, true}},
              {"dsyr2k", {true, true, true}}, {"zsyr2k", {true, true, false}}, {"zher2k", {true, false, true}}};
  for (const auto& [routine, legal] : rows) {
    for (const Op op : {Op::None, Op::Transpose, Op::ConjugateTranspose}) {
      const auto fault = find_fault(*find_routine(routine), {.op_a = op});
      EXPECT_EQ(!fault, legal[static_cast<std::size_t>(op)]) << routine;
      if (fault) {
        EXPECT_EQ(fault->position, 2);
        EXPECT_STREQ(fault->expected, std::string_view(routine)[1] == 'h' ? "N or C" : "N or T");
      }
    }
  }
}

TEST(Arguments, LeadingDimensionsByShape) {
  const auto position = [](const char* routine, const Arguments& x) {
    const auto fault = find_fault(*find_routine(routine), x);
    return fault ? fault->position : 0;
  };
  const Arguments shape{.m = 2, .n = 5, .k = 3, .lda = 5, .ldb = 5, .ldc = 5};
  const auto with = [&shape](auto change) {
    Arguments x = shape;
    change(x);
    return x;
  };
  EXPECT_EQ(position("dsyrk", with([](Arguments& x) { x.lda = 4; })), 7);
  EXPECT_EQ(position("dsyrk", with([](Arguments& x) { x.lda = 3, x.op_a = Op::Transpose; })), 0);
  EXPECT_EQ(position("dsyrk", with([](Arguments& x) { x.lda = 2, x.op_a = Op::Transpose; })), 7);
  EXPECT_EQ(position("zher2k", with([](Arguments& x) { x.lda = x.ldb = 3, x.op_a = Op::ConjugateTranspose; })), 0);
  EXPECT_EQ(position("zher2k", with([](Arguments& x) { x.ldb = 2, x.op_a = Op::ConjugateTranspose; })), 9);
  EXPECT_EQ(position("dsymm", with([](Arguments& x) { x.lda = x.ldb = x.ldc = 2; })), 0);
  EXPECT_EQ(position("dsymm", with([](Arguments& x) { x.lda = 4, x.side = Side::Right; })), 7);
  EXPECT_EQ(position("ztrsm", with([](Arguments& x) { x.lda = 4, x.side = Side::Right; })), 9);
  EXPECT_EQ(position("ztrmm", with([](Arguments& x) { x.lda = x.ldb = 2; })), 0);
  EXPECT_EQ(position("dtrmm", with([](Arguments& x) { x.ldb = 1; })), 11);
  EXPECT_EQ(position("dgemmt", with([](Arguments& x) { x.ldc = 4; })), 13);
  EXPECT_EQ(position("dtrsm", {.m = 0, .n = 0, .lda = 0}), 9);  // empty matrices too
}

TEST(Arguments, RowMajorIsColumnMajorTwiceExchanged) {
  for (const Routine& routine : routines) {
    const Arguments x{.side = Side::Right,
                      .uplo = Triangle::Lower,
                      .op_a = Op::None,
                      .op_b = Op::Transpose,
                      .m = 2,
                      .n = 3,
                      .k = 4,
                      .lda = 5,
                      .ldb = 6,
                      .ldc = 7};
    const Arguments twice = exchanged(routine, exchanged(routine, x));
    EXPECT_EQ(twice.side, x.side) << routine.name;
    EXPECT_EQ(twice.uplo, x.uplo) << routine.name;
    EXPECT_EQ(twice.op_a, x.op_a) << routine.name;
    EXPECT_EQ(twice.op_b, x.op_b) << routine.name;
    EXPECT_EQ(twice.m, x.m) << routine.name;
    EXPECT_EQ(twice.lda, x.lda) << routine.name;
    EXPECT_EQ(twice.ldb, x.ldb) << routine.name;
  }
  EXPECT_EQ(exchanged(*find_routine("zherk"), {.op_a = Op::None}).op_a, Op::ConjugateTranspose);
  EXPECT_EQ(exchanged(*find_routine("zsyrk"), {.op_a = Op::None}).op_a, Op::Transpose);
  EXPECT_EQ(exchanged(*find_routine("dsyrk"), {.op_a = Op::ConjugateTranspose}).op_a, Op::None);
}

TEST(Arguments, FaultNamesWhatWasPassed) {
  const auto fault = find_gemm_fault({.op_a = Op::None, .op_b = Op::None, .m = 5, .n = 2, .k = 2, .lda = 3, .ldb = 2, .ldc = 5});
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
