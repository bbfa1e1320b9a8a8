// SPDX-License-Identifier: MIT
// Neighbours, the 1.10 rule, and which section is used.
#include "routing/dispatch_table.hpp"

#include <gtest/gtest.h>

#include "routing/tables_of_tests.hpp"

namespace ab::routing {
namespace {

using test::section_of;

Request request(Index m, Index n, Index k) {
  return {.routine = find_routine("dgemm"), .letters = {'N', 'N'}, .m = m, .n = n, .k = k};
}

// host, device: enough to fall below, on and above the rule.
const Section squares = section_of(
    "dgemm N N fp64 copied 512 512 512 1.0 2.0 - -\n"
    "dgemm N N fp64 copied 1024 1024 1024 10 5 - -\n"
    "dgemm N N fp64 copied 2048 2048 2048 80 20 - -\n");

TEST(DispatchTable, TheRowOfTheVeryShapeCountsAlone) {
  EXPECT_TRUE(look_up(squares, request(1024, 1024, 1024), TableClass::Fp64).faster);  // though 512 is a neighbour and slower
  const Verdict slower = look_up(squares, request(512, 512, 512), TableClass::Fp64);
  EXPECT_TRUE(slower.measured);
  EXPECT_FALSE(slower.faster);
}

TEST(DispatchTable, EveryNeighbourMustBeFaster) {
  EXPECT_FALSE(look_up(squares, request(700, 700, 700), TableClass::Fp64).faster);  // 512 and 1024
  const Verdict faster = look_up(squares, request(1500, 1500, 1500), TableClass::Fp64);
  EXPECT_TRUE(faster.faster);
  EXPECT_EQ(faster.device_ms, 25);
}

TEST(DispatchTable, NeighboursAreWithinAFactorOfTwoInEachDimension) {
  const struct {
    Index m, n, k;
    bool measured;
  } shapes[] = {{256, 512, 512, true},     {255, 512, 512, false},   {4096, 2048, 2048, true},
                {4097, 2048, 2048, false}, {2048, 4096, 4096, true}, {2048, 4096, 4097, false},
                {1024, 1024, 255, false},  {1, 1, 1, false},         {INT64_MAX, 1, 1, false}};
  for (const auto& [m, n, k, measured] : shapes) {
    EXPECT_EQ(look_up(squares, request(m, n, k), TableClass::Fp64).measured, measured) << m << "x" << n << "x" << k;
  }
}

TEST(DispatchTable, ElevenTenthsIsEnoughAndLessIsNot) {
  const Section section = section_of(
      "dgemm N N dd copied 100 100 100 11.0 10.0 - -\n"
      "dgemm N N fast copied 100 100 100 10.99 10.0 - -\n"
      "dgemm T N dd copied 100 100 100 - 10.0 - -\n"
      "dgemm N T dd copied 100 100 100 10.0 - - -\n");
  EXPECT_TRUE(look_up(section, request(100, 100, 100), TableClass::DoubleFloat).faster);
  EXPECT_FALSE(look_up(section, request(100, 100, 100), TableClass::Fast).faster);
  for (const std::array<char, 2> letters : {std::array{'T', 'N'}, std::array{'N', 'T'}}) {
    Request unmeasured = request(100, 100, 100);
    unmeasured.letters = letters;
    const Verdict verdict = look_up(section, unmeasured, TableClass::DoubleFloat);
    EXPECT_TRUE(verdict.measured);
    EXPECT_FALSE(verdict.faster);  // what was not measured was not measured faster
  }
}

TEST(DispatchTable, TheLargestSizesDoNotOverflow) {
  const Section section = section_of("dgemm N N fp64 copied 9223372036854775807 9223372036854775807 1 2 1 - -\n");
  EXPECT_TRUE(look_up(section, request(INT64_MAX, INT64_MAX / 2 + 1, 2), TableClass::Fp64).faster);
  EXPECT_FALSE(look_up(section, request(INT64_MAX, INT64_MAX / 2, 1), TableClass::Fp64).measured);
  EXPECT_FALSE(look_up(section, request(INT64_MAX, INT64_MAX, 3), TableClass::Fp64).measured);
  EXPECT_FALSE(look_up(squares, request(INT64_MAX, INT64_MAX, INT64_MAX), TableClass::Fp64).measured);
}

TEST(DispatchTable, RowsOfManyGroupsAreFoundByTheirOwnKeys) {
  std::string rows;
  int next = 1;
  for (const char* op : {"zgemm", "dgemm", "dgemmt"}) {
    for (const char* letters : {"T T", "N N", "N T", "T N"}) {
      for (const char* table_class : {"vendor", "dd", "fp64", "fast"}) {
        for (const char* path : {"in_place", "copied"}) {
          rows +=
              std::string(op) + " " + letters + " " + table_class + " " + path + " 100 100 100 1000 " + std::to_string(next++) + " - -\n";
        }
      }
    }
  }
  const Section section = section_of(rows);
  ASSERT_EQ(section.groups.size(), 96u);
  next = 1;
  for (const Section::Group& group : section.groups) {
    Request call = request(100, 100, 100);
    call.routine = find_routine(group.key.op);
    call.letters = group.key.letters;
    call.path = group.key.path;
    EXPECT_EQ(look_up(section, call, group.key.table_class).device_ms, next++);
  }
}

TEST(DispatchTable, ASplitNeedsEveryNeighbourAndTakesTheNearestsShare) {
  const Section section = section_of(
      "dgemm N N fp64 copied 512 512 512 10 10 5 0.5\n"
      "dgemm N N fp64 copied 1024 1024 1024 30 20 10 0.25\n"
      "dgemm N N fp64 copied 2048 1024 1024 30 20 18.19 0.125\n"
      "dgemm T N fp64 copied 512 512 512 10 - 5 0.5\n"
      "dgemm N T fp64 copied 64 64 64 11 11 10 0.5\n"
      "dgemm N T fp64 copied 100 64 64 11 11 10.01 0.5\n");
  const auto ask = [&](Index m, Index n, Index k) { return look_up(section, request(m, n, k), TableClass::Fp64); };
  EXPECT_EQ(ask(512, 512, 512).split_share, 0.5);  // alone
  EXPECT_TRUE(ask(512, 512, 512).split_faster);
  EXPECT_EQ(ask(600, 600, 600).split_share, 0.5);
  EXPECT_EQ(ask(900, 900, 900).split_share, 0.25);
  EXPECT_EQ(ask(900, 900, 900).split_ms, 15);
  EXPECT_FALSE(ask(1500, 1024, 1024).split_faster);  // 20 < 1.1 * 18.19
  // As far from one as from the other: the first.
  const Section tie = section_of(
      "dgemm N N fp64 copied 256 512 512 10 10 5 0.1\n"
      "dgemm N N fp64 copied 1024 512 512 10 10 5 0.9\n");
  EXPECT_EQ(look_up(tie, request(512, 512, 512), TableClass::Fp64).split_share, 0.1);
  Request other = request(512, 512, 512);
  other.letters = {'T', 'N'};
  EXPECT_FALSE(look_up(section, other, TableClass::Fp64).split_faster);  // the device alone was not measured
  other = request(64, 64, 64);
  other.letters = {'N', 'T'};
  EXPECT_TRUE(look_up(section, other, TableClass::Fp64).split_faster);  // eleven tenths are enough
  other.m = 80;
  EXPECT_FALSE(look_up(section, other, TableClass::Fp64).split_faster);
}

TEST(DispatchTable, OpLettersClassAndPathMustAgree) {
  Request other = request(1024, 1024, 1024);
  other.routine = find_routine("zgemm");
  EXPECT_FALSE(look_up(squares, other, TableClass::Fp64).measured);
  other = request(1024, 1024, 1024);
  other.letters = {'T', 'N'};
  EXPECT_FALSE(look_up(squares, other, TableClass::Fp64).measured);
  EXPECT_FALSE(look_up(squares, request(1024, 1024, 1024), TableClass::DoubleFloat).measured);
  EXPECT_FALSE(look_up(squares, request(1024, 1024, 1024), TableClass::Vendor).measured);
  other = request(1024, 1024, 1024);
  other.routine = find_routine("no such routine");
  EXPECT_FALSE(look_up(squares, other, TableClass::Fp64).measured);
}

TEST(DispatchTable, RealConjugationIsLookedUpAsTransposition) {
  const Section section = section_of(
      "dgemm T N fp64 copied 100 100 100 20 10 - -\n"
      "zgemm T N fp64 copied 100 100 100 20 10 - -\n");
  Request conjugated = request(100, 100, 100);
  conjugated.letters = {'C', 'N'};
  EXPECT_TRUE(look_up(section, conjugated, TableClass::Fp64).faster);
  conjugated.routine = find_routine("zgemm");
  EXPECT_FALSE(look_up(section, conjugated, TableClass::Fp64).measured);
}

TEST(DispatchTable, InPlaceCallsUseCopiedRowsWhenTheyHaveNone) {
  const Section section = section_of(
      "dgemm N N fp64 copied 100 100 100 20 10 - -\n"
      "dgemm N N fp64 in_place 400 400 400 10 20 - -\n");
  Request in_place = request(100, 100, 100);
  in_place.path = DataPath::InPlace;
  EXPECT_TRUE(look_up(section, in_place, TableClass::Fp64).faster);
  in_place.m = in_place.n = in_place.k = 400;
  EXPECT_FALSE(look_up(section, in_place, TableClass::Fp64).faster);
  EXPECT_TRUE(look_up(section, in_place, TableClass::Fp64).measured);
  EXPECT_FALSE(look_up(section, request(400, 400, 400), TableClass::Fp64).measured);  // but not the other way round
}

TEST(DispatchTable, GemmServesGemmtWithoutRowsOfItsOwn) {
  const Section section = section_of(
      "dgemm N N fp64 copied 100 100 100 20 10 - -\n"
      "dgemm N N fp64 copied 400 400 400 20 10 - -\n"
      "dgemmt N N fp64 copied 400 400 400 10 20 - -\n");
  Request gemmt = request(100, 100, 100);
  gemmt.routine = find_routine("dgemmt");
  EXPECT_TRUE(look_up(section, gemmt, TableClass::Fp64).faster);
  gemmt.m = gemmt.n = gemmt.k = 400;
  EXPECT_FALSE(look_up(section, gemmt, TableClass::Fp64).faster);
}

Table sections(std::initializer_list<int> threads) {
  Table table;
  for (const int count : threads) {
    Section section;
    section.device = "D";
    section.cpu = "C";
    section.threads = count;
    table.sections.push_back(section);
  }
  return table;
}

TEST(DispatchTable, TheNearestThreadCountIsChosenAndTheSmallerOnATie) {
  const struct {
    std::initializer_list<int> have;
    int asked, chosen;
  } cases[] = {{{4, 16}, 4, 4}, {{4, 16}, 9, 4}, {{4, 16}, 10, 4}, {{16, 4}, 10, 4}, {{4, 16}, 11, 16}, {{4, 16}, 64, 16}, {{4, 16}, 1, 4}};
  for (const auto& [have, asked, chosen] : cases) {
    const Table table = sections(have);
    const Section* section = choose_section(table, "D", "C", asked);
    ASSERT_NE(section, nullptr);
    EXPECT_EQ(section->threads, chosen) << asked;
  }
  EXPECT_EQ(choose_section(sections({4}), "D2", "C", 4), nullptr);
  EXPECT_EQ(choose_section(sections({4}), "D", "C2", 4), nullptr);
}

}  // namespace
}  // namespace ab::routing
