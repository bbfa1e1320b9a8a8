// SPDX-License-Identifier: MIT
// What a calibration measures, and what becomes of its files when it is interrupted, repeated or mixed with others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "calibration_file.hpp"
#include "calibration_grid.hpp"
#include "child.hpp"
#include "routing/table_text.hpp"

namespace ab::cli {
namespace {

bool has(const std::vector<Shape>& shapes, Index m, Index n, Index k) {
  return std::any_of(shapes.begin(), shapes.end(), [&](const Shape& s) { return s.m == m && s.n == n && s.k == k; });
}

TEST(CalibrationGrid, OctavesWithSmallDimensionsAndQuantumEspresso) {
  const std::vector<Shape> shapes = grid_shapes(8192, false);
  for (const Index s : {256, 512, 1024, 2048, 4096, 8192}) {
    EXPECT_TRUE(has(shapes, s, s, s));
    EXPECT_TRUE(has(shapes, 64, s, s) && has(shapes, s, 64, s) && has(shapes, s, s, 64));
    EXPECT_TRUE(has(shapes, s, 64, 64) && has(shapes, 64, s, 64) && has(shapes, 64, 64, s));
  }
  EXPECT_TRUE(has(shapes, 256, 256, 9104) && has(shapes, 9104, 256, 256));
  EXPECT_EQ(shapes.size(), 6u * 7 + 3);
  const std::vector<Shape> quick = grid_shapes(1024, true);
  EXPECT_EQ(quick.size(), 3u + 6);
  EXPECT_TRUE(has(quick, 256, 256, 256) && has(quick, 64, 1024, 1024) && !has(quick, 64, 256, 256));
  EXPECT_EQ(grid_shapes(300, false).size(), 7u);
}

TEST(CalibrationGrid, CheapProductsFirstAndNoneBeyondTheMemory) {
  GridOptions options;
  options.routines = {find_routine("dgemm"), find_routine("zgemm")};
  options.classes = {"fast", "fp64"};
  options.most = 1024;
  const std::vector<GridPoint> grid = calibration_grid(options);
  EXPECT_EQ(grid.size(), 3u * 7 * (4 + 6) * 2);  // squares and small dimensions, pairs of letters, classes
  const auto work = [](const GridPoint& p) { return p.shape.m * p.shape.n * p.shape.k * (p.routine->complex ? 4 : 1); };
  EXPECT_TRUE(std::is_sorted(grid.begin(), grid.end(), [&](const GridPoint& a, const GridPoint& b) { return work(a) < work(b); }));
  options.memory_bytes = 4 * (3 * 256 * 256 * 8);
  for (const GridPoint& point : calibration_grid(options)) EXPECT_LE(point.shape.m * point.shape.n, 256 * 256 * 3);
  EXPECT_LT(calibration_grid(options).size(), grid.size());
}

TEST(CalibrationGrid, EveryRoutineThatHasRowsOfItsOwn) {
  GridOptions options;
  options.routines = calibrated_routines();
  EXPECT_EQ(options.routines.size(), 15u);
  options.classes = {"fp64"};
  options.most = 512;
  std::map<std::string_view, std::set<std::array<char, 2>>> letters;
  for (const GridPoint& point : calibration_grid(options)) {
    letters[point.routine->name].insert(point.letters);
    const auto& [m, n, k] = point.shape;
    const Variants variants = variants_of(*point.routine);
    EXPECT_TRUE(variants != Variants::TriangleAndTranspose || m == n) << label_of(point);
    EXPECT_TRUE(variants != Variants::SideAndTriangle || k == (point.letters[0] == 'L' ? m : n)) << label_of(point);
  }
  EXPECT_EQ(letters.size(), 15u);
  EXPECT_EQ(letters["dtrsm"], (std::set<std::array<char, 2>>{{'L', 'L'}, {'L', 'U'}, {'R', 'L'}, {'R', 'U'}}));
  EXPECT_EQ(letters["zherk"], (std::set<std::array<char, 2>>{{'U', 'N'}, {'L', 'N'}, {'U', 'C'}, {'L', 'C'}}));
  EXPECT_EQ(letters["zsyr2k"], (std::set<std::array<char, 2>>{{'U', 'N'}, {'L', 'N'}, {'U', 'T'}, {'L', 'T'}}));
  options.quick = true;
  options.most = 8192;
  options.routines = {find_routine("ztrmm")};
  EXPECT_EQ(calibration_grid(options).size(), 2u);  // 256 and 512
  options.routines = {find_routine("dgemmt")};
  for (const GridPoint& point : calibration_grid(options)) EXPECT_EQ(point.shape.m, point.shape.n);
}

routing::Section section_of(const std::string& rows) {
  const auto parsed =
      routing::parse_table("applebottom-dispatch 2\nsection device=D cpu=C threads=2 host_blas=\"H 1\" date=2026-12-01\n" + rows);
  return std::get<routing::Table>(parsed).sections.at(0);
}

class CalibrationFile : public testing::Test {
 protected:
  std::string file() const { return folder_.path() + "/deep/table.txt"; }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(name).parent_path());
    std::ofstream(name) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(name).rdbuf();
    return text.str();
  }
  routing::Table table() const { return std::get<routing::Table>(routing::parse_table(read(file()))); }
  const Routine& dgemm_ = *find_routine("dgemm");
  const routing::Key key_{"dgemm", {'N', 'N'}, routing::TableClass::Fp64, routing::DataPath::Copied};
  TemporaryFolder folder_;
};

routing::Measurement row_of(Index n, double host_ms) {
  routing::Measurement row{};
  row.m = row.n = row.k = n;
  row.host_ms = host_ms;
  row.device_ms = 1;
  return row;
}

TEST_F(CalibrationFile, AnInterruptedCalibrationGoesOnAndLeavesTheOldTable) {
  write(file(), "old");
  routing::Section section = section_of("");
  {
    PartialTable first(file(), section, "7 runs");
    EXPECT_FALSE(first.has(dgemm_, key_, row_of(64, 0)));
    first.add(dgemm_, key_, row_of(64, 2));
    first.add(dgemm_, key_, row_of(128, 3));
  }
  std::ofstream(file() + ".partial", std::ios::app) << "dgemm N N fp64 cop";  // it was being written
  EXPECT_EQ(read(file()), "old");
  section.date = "2026-12-02";
  {
    const PartialTable second(file(), section, "7 runs");
    EXPECT_TRUE(second.has(dgemm_, key_, row_of(64, 0)));
    EXPECT_TRUE(second.has(dgemm_, key_, row_of(128, 0)));
    EXPECT_FALSE(second.has(dgemm_, key_, row_of(256, 0)));
    EXPECT_EQ(second.section().groups[0].rows[1].host_ms, 3);
  }
  EXPECT_FALSE(PartialTable(file(), section, "3 runs").has(dgemm_, key_, row_of(64, 0)));  // not measured alike
}

TEST_F(CalibrationFile, RowsOfAnotherMachineAreNotTakenUp) {
  for (const char* change : {"device", "threads", "host_blas", "library"}) {
    routing::Section section = section_of("");
    {
      PartialTable first(file(), section, "way");
      first.add(dgemm_, key_, row_of(64, 2));
    }
    if (std::string(change) == "device") section.device = "E";
    if (std::string(change) == "threads") section.threads = 3;
    if (std::string(change) == "host_blas") section.host_blas = "H 2";
    if (std::string(change) == "library") section.library = "3";
    EXPECT_FALSE(PartialTable(file(), section, "way").has(dgemm_, key_, row_of(64, 0))) << change;
  }
}

TEST_F(CalibrationFile, TheTableKeepsWhatWasNotMeasuredAnew) {
  write(file(),
        "applebottom-dispatch 2\n"
        "section device=D cpu=C threads=1\ndgemm N N fp64 copied 1 1 1 1 1 - -\n"
        "section device=D cpu=C threads=2\n"
        "dgemm N N fp64 copied 1 1 1 1 1 - -\n"
        "dgemm N T fp64 copied 1 1 1 1 1 - -\n");
  EXPECT_EQ(write_table(file(), section_of("dgemm N N fp64 copied 64 64 64 5 1 - -\n")), "");
  const routing::Table written = table();
  ASSERT_EQ(written.sections.size(), 2u);
  EXPECT_EQ(written.sections[0].groups[0].rows[0].m, 1);
  ASSERT_EQ(written.sections[1].groups.size(), 2u);
  EXPECT_EQ(written.sections[1].host_blas, "H 1");
  EXPECT_EQ(written.sections[1].groups[0].rows.size(), 1u);
  EXPECT_EQ(written.sections[1].groups[0].rows[0].m, 64);
  EXPECT_EQ(written.sections[1].groups[1].key.letters, (std::array{'N', 'T'}));
  EXPECT_FALSE(std::filesystem::exists(file() + ".new"));
}

TEST_F(CalibrationFile, AFileThatIsNoTableIsReplacedAndNamed) {
  EXPECT_EQ(write_table(file(), section_of("")), "");  // folders are made
  write(file(), "something else\n");
  const std::string complaint = write_table(file(), section_of("dgemm N N fp64 copied 64 64 64 5 1 - -\n"));
  EXPECT_NE(complaint.find(file() + ", line 1"), std::string::npos) << complaint;
  EXPECT_EQ(table().sections[0].groups[0].rows[0].host_ms, 5);
}

TEST_F(CalibrationFile, WhatCannotBeWrittenIsSaid) {
  EXPECT_THROW(write_table("/proc/no/table.txt", section_of("")), Failure);
  EXPECT_THROW(PartialTable("/proc/no/table.txt", section_of(""), "way"), Failure);
}

ChildResult applebottom(const std::vector<std::string>& arguments, const Environment& environment = {}) {
  ChildCommand command;
  command.arguments = {APPLEBOTTOM};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = environment;
  command.output = Output::Capture;
  command.limit_s = 100;
  return run_child(command);
}

TEST_F(CalibrationFile, TheProgramMeasuresInstallsAndIsFollowed) {
  const std::string home = folder_.path() + "/home", installed = home + "/applebottom/dispatch_table.txt";
  const Environment environment = {{"XDG_CONFIG_HOME", home}, {"AB_DEVICE", "cpu"}};
  const std::vector<std::string> arguments = {"calibrate", "--quick", "--op", "dgemm", "--max", "256", "--output", file(), "--install"};
  const ChildResult child = applebottom(arguments, environment);
  ASSERT_EQ(child.status, 0) << child.output;
  EXPECT_EQ(child.output.find('\r'), std::string::npos);  // no bar but on a terminal
  ASSERT_EQ(table().sections.size(), 1u);
  ASSERT_EQ(table().sections[0].groups.size(), 1u);
  EXPECT_EQ(table().sections[0].groups[0].key.path, routing::DataPath::InPlace);  // the cpu device reads everything there
  EXPECT_EQ(table().sections[0].groups[0].rows.size(), 7u);
  EXPECT_FALSE(std::filesystem::exists(file() + ".partial"));
  EXPECT_EQ(read(installed), read(file()));
  const ChildResult info = applebottom({"info"}, environment);
  EXPECT_NE(info.output.find(installed), std::string::npos) << info.output;
}

routing::Section without_rows(const routing::Section& section) {
  routing::Section none = section_of("");
  none.device = section.device, none.cpu = section.cpu, none.threads = section.threads;
  none.host_blas = section.host_blas, none.library = section.library, none.date = section.date;
  return none;
}

// An interrupted calibration of them goes on as well: its rows are not measured again.
TEST_F(CalibrationFile, TheProgramMeasuresRoutinesBeyondGemm) {
  const std::string names = "dsyrk,zsyrk,zherk,dsyr2k,zsyr2k,zher2k,dsymm,zsymm,zhemm,dtrsm,ztrsm,dtrmm,ztrmm,dgemmt,zgemm3m";
  const Environment environment = {{"XDG_CONFIG_HOME", folder_.path()}, {"AB_DEVICE", "cpu"}};
  const std::vector<std::string> arguments = {"calibrate", "--quick", "--op", names, "--max", "256", "--output", file()};
  const ChildResult child = applebottom(arguments, environment);
  ASSERT_EQ(child.status, 0) << child.output;
  const routing::Table written = table();
  ASSERT_EQ(written.sections.size(), 1u);
  const routing::Section& section = written.sections[0];
  EXPECT_EQ(section.groups.size(), 15u);
  for (const routing::Section::Group& group : section.groups) {
    EXPECT_EQ(group.key.path, routing::DataPath::InPlace);
    for (const routing::Measurement& row : group.rows) EXPECT_GT(*row.host_ms * *row.device_ms, 0) << group.key.op;
  }
  std::filesystem::remove(file());
  {
    PartialTable partial(file(), without_rows(section), "3 runs after 1 warm-ups");
    for (const routing::Section::Group& group : section.groups) {
      routing::Measurement known = group.rows[0];
      known.host_ms = 12345;
      partial.add(*find_routine(group.key.op), group.key, known);
    }
  }
  ASSERT_EQ(applebottom(arguments, environment).status, 0);
  const routing::Table again = table();
  for (const routing::Section::Group& group : again.sections.at(0).groups) EXPECT_EQ(group.rows[0].host_ms, 12345) << group.key.op;
}

TEST_F(CalibrationFile, WrongUsage) {
  EXPECT_EQ(applebottom({"calibrate", "--op", "sgemm"}).status, 2);
  EXPECT_EQ(applebottom({"calibrate", "--op", "dgemm_batch"}).status, 2);
  EXPECT_EQ(applebottom({"calibrate", "--classes", "strict"}).status, 2);
  EXPECT_EQ(applebottom({"calibrate", "--max", "3"}).status, 2);
  EXPECT_EQ(applebottom({"calibrate", "--device", "abacus"}).status, 3);
  EXPECT_EQ(applebottom({"calibrate", "--quick", "--output", "/proc/no/table.txt"}).status, 3);
}

}  // namespace
}  // namespace ab::cli
