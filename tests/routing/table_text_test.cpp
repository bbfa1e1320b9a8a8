// SPDX-License-Identifier: MIT
// The reader of format 2: what it accepts, and that one bad line refuses the whole text with its number.
#include "routing/table_text.hpp"

#include <gtest/gtest.h>

#include <clocale>

#include "routing/tables_of_tests.hpp"

namespace ab::routing {
namespace {

using test::section_line;
using test::section_of;
using test::table_of;

TEST(TableText, ReadsTheExampleOfTheDocuments) {
  const auto parsed = parse_table(
      "applebottom-dispatch 2\n"
      "section device=\"NVIDIA H200\" cpu=\"Intel(R) Xeon(R) Platinum 8480+\" threads=16 host_blas=\"OpenBLAS 0.3.21\" library=2.0.0 "
      "date=2026-12-01\n"
      "# op ta tb class path   m    n    k    host_ms device_ms split_ms split_share\n"
      "dgemm N N fp64  copied 512  512  512    0.412   0.731     -        -\n"
      "dgemm N N fp64  copied 2048 2048 2048  21.904   6.180     5.310    0.18\n"
      "zgemm C N fp64  in_place 256 256 9104  14.220   5.033     -        -\n"
      "dgemm N N vendor copied 2048 2048 2048 21.904   4.905     -        -\n");
  ASSERT_TRUE(std::holds_alternative<Table>(parsed));
  const Table& table = std::get<Table>(parsed);
  ASSERT_EQ(table.sections.size(), 1u);
  const Section& section = table.sections[0];
  EXPECT_EQ(section.device, "NVIDIA H200");
  EXPECT_EQ(section.cpu, "Intel(R) Xeon(R) Platinum 8480+");
  EXPECT_EQ(section.threads, 16);
  EXPECT_EQ(section.host_blas, "OpenBLAS 0.3.21");
  EXPECT_EQ(section.date, "2026-12-01");
  ASSERT_EQ(section.groups.size(), 3u);
  ASSERT_EQ(section.groups[0].rows.size(), 2u);
  EXPECT_EQ(section.groups[0].rows[0].host_ms, 0.412);
  EXPECT_EQ(section.groups[0].rows[0].split_ms, std::nullopt);
  EXPECT_EQ(section.groups[0].rows[1].split_share, 0.18);
  EXPECT_EQ(section.groups[1].key, (Key{"zgemm", {'C', 'N'}, TableClass::Fp64, DataPath::InPlace}));
  EXPECT_EQ(section.groups[1].rows[0].k, 9104);
  EXPECT_EQ(section.groups[2].key.table_class, TableClass::Vendor);
}

TEST(TableText, CommentsBlanksTabsAndCarriageReturns) {
  const Section section = section_of("\n  \t \n# all of it\ndgemm\tN N\tdd copied 64 64 64 1 2 - - # the rest\r\n\r\n");
  ASSERT_EQ(section.groups.size(), 1u);
  EXPECT_EQ(section.groups[0].rows.size(), 1u);
}

TEST(TableText, ALastLineWithoutNewlineCounts) {
  EXPECT_EQ(section_of("dgemm N N dd copied 64 64 64 1 2 - -").groups.size(), 1u);
}

TEST(TableText, ARepeatedRowReplacesTheEarlier) {
  const Section section = section_of(
      "dgemm N N dd copied 64 64 64 1 2 - -\n"
      "dgemm N N dd copied 64 64 65 5 6 - -\n"
      "dgemm N N dd copied 64 64 64 3 4 - -\n");
  ASSERT_EQ(section.groups.size(), 1u);
  ASSERT_EQ(section.groups[0].rows.size(), 2u);
  EXPECT_EQ(section.groups[0].rows[0].host_ms, 3.0);
}

TEST(TableText, RealConjugationIsTransposition) {
  const Section section = section_of(
      "dgemm C T dd copied 64 64 64 1 2 - -\n"
      "dsyrk U C dd copied 64 64 64 1 2 - -\n"
      "zherk U C dd copied 64 64 64 1 2 - -\n");
  ASSERT_EQ(section.groups.size(), 3u);
  EXPECT_EQ(section.groups[0].key.letters, (std::array{'T', 'T'}));
  EXPECT_EQ(section.groups[1].key.letters, (std::array{'U', 'T'}));
  EXPECT_EQ(section.groups[2].key.letters, (std::array{'U', 'C'}));
}

TEST(TableText, SectionsOfOneKindGoOn) {
  const Table table =
      table_of("dgemm N N dd copied 64 64 64 1 2 - -\nsection device=X cpu=Y threads=2\ndgemm N N dd copied 1 1 1 1 2 - -\n" +
               std::string(section_line) + "dgemm N N dd copied 65 64 64 1 2 - -\n");
  ASSERT_EQ(table.sections.size(), 2u);
  EXPECT_EQ(table.sections[0].groups[0].rows.size(), 2u);
  EXPECT_EQ(table.sections[1].device, "X");
}

TEST(TableText, NumbersDoNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  bool tried = false;
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"}) {
    if (std::setlocale(LC_NUMERIC, locale) == nullptr) continue;
    tried = true;
    EXPECT_EQ(section_of("dgemm N N dd copied 64 64 64 1.5 2 - -\n").groups[0].rows[0].host_ms, 1.5);
  }
  std::setlocale(LC_NUMERIC, before.c_str());
  if (!tried) GTEST_SKIP() << "no locale with a decimal comma here";
}

struct Bad {
  std::string text;
  int line;
  const char* says;
};
const std::string head = "applebottom-dispatch 2\n";
const std::string section = "section device=D cpu=C threads=4\n";
const Bad bad_texts[] = {
    {"", 1, "no section"},
    {"applebottom-dispatch 1\n", 1, "first line"},
    {"applebottom-dispatch 2 \n", 1, "first line"},
    {"# comment\n" + head + section, 1, "first line"},
    {head, 1, "no section"},
    {head + "# nothing\n", 2, "no section"},
    {head + "dgemm N N fp64 copied 1 1 1 1 1 - -\n", 2, "before any section"},
    {head + "section device=D cpu=C\n", 2, "needs device, cpu and threads"},
    {head + "section device=D threads=4\n", 2, "needs device, cpu and threads"},
    {head + "section cpu=C threads=4\n", 2, "needs device, cpu and threads"},
    {head + "section device=D cpu=C threads=0\n", 2, "positive integer"},
    {head + "section device=D cpu=C threads=many\n", 2, "positive integer"},
    {head + "section device=D cpu=C threads=4294967296\n", 2, "too many"},
    {head + "section device=\"D cpu=C threads=4\n", 2, "quote"},
    {head + "section device=D cpu=C threads=4 word\n", 2, "key=value"},
    {head + section + "dgemm N N fp64 copied 1 1 1 1 1 -\n", 3, "11 fields"},
    {head + section + "dgemm N N fp64 copied 1 1 1 1 1 - - -\n", 3, "13 fields"},
    {head + section + "sgemm N N fp64 copied 1 1 1 1 1 - -\n", 3, "unknown routine"},
    {head + section + "DGEMM N N fp64 copied 1 1 1 1 1 - -\n", 3, "unknown routine"},
    {head + section + "dgemm n N fp64 copied 1 1 1 1 1 - -\n", 3, "letters"},
    {head + section + "dgemm N U fp64 copied 1 1 1 1 1 - -\n", 3, "letters"},
    {head + section + "dsymm N N fp64 copied 1 1 1 1 1 - -\n", 3, "letters"},
    {head + section + "zherk L L fp64 copied 1 1 1 1 1 - -\n", 3, "letters"},
    {head + section + "dgemm N N strict copied 1 1 1 1 1 - -\n", 3, "unknown class"},
    {head + section + "dgemm N N fp64 staged 1 1 1 1 1 - -\n", 3, "unknown path"},
    {head + section + "dgemm N N fp64 copied 0 1 1 1 1 - -\n", 3, "positive integer"},
    {head + section + "dgemm N N fp64 copied 1 -1 1 1 1 - -\n", 3, "positive integer"},
    {head + section + "dgemm N N fp64 copied 1 1 1.5 1 1 - -\n", 3, "positive integer"},
    {head + section + "dgemm N N fp64 copied 1 1 1 0 1 - -\n", 3, "positive number"},
    {head + section + "dgemm N N fp64 copied 1 1 1 1 -2 - -\n", 3, "positive number"},
    {head + section + "dgemm N N fp64 copied 1 1 1 inf 1 - -\n", 3, "positive number"},
    {head + section + "dgemm N N fp64 copied 1 1 1 nan 1 - -\n", 3, "positive number"},
    {head + section + "dgemm N N fp64 copied 1 1 1 1e999 1 - -\n", 3, "positive number"},
    {head + section + "dgemm N N fp64 copied 1 1 1 1ms 1 - -\n", 3, "positive number"},
    {head + section + "dgemm N N fp64 copied 1 1 1 1 1 1 1\n", 3, "share"},
    {head + section + "dgemm N N fp64 copied 1 1 1 1 1 1 0\n", 3, "positive number"},
    {head + section + "\n\n# fine\ndgemm N N fp64 copied 1 1 1 1 1 - -\nwhat\n", 7, "fields"},
};

TEST(TableText, OneBadLineRefusesTheWholeText) {
  for (const Bad& bad : bad_texts) {
    const auto parsed = parse_table(bad.text);
    const auto* error = std::get_if<TableError>(&parsed);
    ASSERT_NE(error, nullptr) << bad.text;
    EXPECT_EQ(error->line, bad.line) << bad.text;
    EXPECT_NE(error->what.find(bad.says), std::string::npos) << bad.text << "gives: " << error->what;
  }
}

TEST(TableText, WhatIsWrittenReadsTheSame) {
  const std::string rows =
      "dgemm T N fp64 copied 64 64 64 1.5 2 0.25 0.125\n"
      "zgemm C N vendor in_place 64 100000 64 - 2 - -\n"
      "zherk U C dd copied 64 64 65 0.0001 1e+06 - -\n";
  const Table table = table_of(rows + "section device=\"X y\" cpu=Y threads=2 host_blas=\"a b\" library=2.0.0 date=2026-12-01\n");
  const std::string text = text_of(table, "two\nlines");
  EXPECT_NE(text.find("\n# two\n# lines\n"), std::string::npos);
  const auto again = parse_table(text);
  ASSERT_TRUE(std::holds_alternative<Table>(again));
  EXPECT_EQ(text_of(std::get<Table>(again), "two\nlines"), text);
  const Table& read = std::get<Table>(again);
  ASSERT_EQ(read.sections.size(), 2u);
  EXPECT_EQ(read.sections[1].device, "X y");
  EXPECT_EQ(read.sections[1].host_blas, "a b");
  EXPECT_EQ(read.sections[1].library, "2.0.0");
  ASSERT_EQ(read.sections[0].groups.size(), 3u);
  EXPECT_EQ(read.sections[0].groups[0].rows[0].split_share, 0.125);
  EXPECT_EQ(read.sections[0].groups[1].key, (Key{"zgemm", {'C', 'N'}, TableClass::Vendor, DataPath::InPlace}));
  EXPECT_EQ(read.sections[0].groups[1].rows[0].host_ms, std::nullopt);
  EXPECT_EQ(read.sections[0].groups[2].rows[0].device_ms, 1e6);
}

TEST(TableText, NamesThatTheReaderCannotTakeAreChanged) {
  Section section;
  section.device = "a \"quoted\"\nname";
  section.cpu = "C";
  section.threads = 1;
  Table table;
  table.sections.push_back(section);
  const auto again = parse_table(text_of(table, ""));
  ASSERT_TRUE(std::holds_alternative<Table>(again));
  EXPECT_EQ(std::get<Table>(again).sections[0].device, "a 'quoted''name");
}

}  // namespace
}  // namespace ab::routing
