// SPDX-License-Identifier: MIT
// Which file is read, what is said when it cannot be, and which section holds.
#include "routing/tables.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "routing/table_text.hpp"

namespace ab::routing {
namespace {

constexpr const char* good =
    "applebottom-dispatch 2\n"
    "section device=D cpu=C threads=4\n"
    "dgemm N N fp64 copied 100 100 100 20 10 - -\n";

class TablesTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/tables_test_XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::string file = folder_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file) << text;
    return file;
  }

  Tables read(const Settings& settings) {
    complaints_.clear();
    return read_tables(settings, complaints_);
  }

  std::string folder_;
  std::vector<std::string> complaints_;
};

TEST_F(TablesTest, NothingAskedForAndNothingThere) {
  Settings settings;
  settings.config_home = folder_;
  EXPECT_TRUE(read(settings).file.sections.empty());
  EXPECT_TRUE(complaints_.empty());
}

TEST_F(TablesTest, WhetherOtherDevicesAreNamed) {
  Settings settings;
  settings.dispatch_table = "builtin";
  EXPECT_FALSE(names_other_devices(read(settings), "C"));
  settings.dispatch_table = write("table.txt", good);
  EXPECT_TRUE(names_other_devices(read(settings), "C"));
  EXPECT_FALSE(names_other_devices(read(settings), "D"));
}

TEST_F(TablesTest, TheFileAskedForIsRead) {
  Settings settings;
  settings.dispatch_table = write("table.txt", good);
  const Tables tables = read(settings);
  EXPECT_TRUE(complaints_.empty());
  EXPECT_EQ(tables.file_name, settings.dispatch_table);
  const ChosenSection chosen = section_for(tables, {"D", "C", "", 2});
  ASSERT_NE(chosen.section, nullptr);
  EXPECT_EQ(chosen.section->threads, 4);
  EXPECT_FALSE(chosen.unmet);
}

TEST_F(TablesTest, ThePerUserFileIsReadUnlessTheBuiltInOneIsAskedFor) {
  Settings settings;
  settings.config_home = folder_;
  write("applebottom/dispatch_table.txt", good);
  EXPECT_NE(section_for(read(settings), {"D", "C", "", 4}).section, nullptr);
  settings.dispatch_table = "builtin";
  EXPECT_EQ(section_for(read(settings), {"D", "C", "", 4}).section, nullptr);
}

TEST_F(TablesTest, ASectionThatIsMissingIsUnmetOnlyWhenTheFileWasAskedFor) {
  Settings settings;
  settings.config_home = folder_;
  const std::string file = write("applebottom/dispatch_table.txt", good);
  EXPECT_FALSE(section_for(read(settings), {"other", "C", "", 4}).unmet);
  settings.dispatch_table = file;
  EXPECT_TRUE(section_for(read(settings), {"other", "C", "", 4}).unmet);
}

TEST_F(TablesTest, AnUnreadableFileIsOneComplaintThatNamesTheVariable) {
  for (const std::string& file : {folder_ + "/none", folder_}) {  // a folder opens, but cannot be read
    Settings settings;
    settings.dispatch_table = file;
    EXPECT_TRUE(read(settings).file.sections.empty());
    ASSERT_EQ(complaints_.size(), 1u) << file;
    EXPECT_EQ(complaints_[0].find("AB_DISPATCH_TABLE=\"" + file + "\""), 0u) << complaints_[0];
    EXPECT_NE(complaints_[0].find("built-in"), std::string::npos);
  }
}

TEST_F(TablesTest, ABadFileIsOneComplaintWithItsLine) {
  Settings settings;
  settings.dispatch_table = write("table.txt", std::string(good) + "dgemm N N fp64 copied 100 100 100 20\n");
  EXPECT_TRUE(read(settings).file.sections.empty());  // all of it is refused
  ASSERT_EQ(complaints_.size(), 1u);
  EXPECT_NE(complaints_[0].find("line 4"), std::string::npos) << complaints_[0];
  settings.dispatch_table.clear();
  settings.config_home = folder_;
  const std::string per_user = write("applebottom/dispatch_table.txt", "");
  EXPECT_TRUE(read(settings).file.sections.empty());
  ASSERT_EQ(complaints_.size(), 1u);
  EXPECT_EQ(complaints_[0].find(per_user + ", line 1"), 0u) << complaints_[0];
}

constexpr const char* some_kinds =
    "applebottom-dispatch 2\n"
    "section device=kind:a cpu=any threads=1\n"
    "section device=kind:a cpu=any threads=16\n"
    "section device=D2 cpu=C2 threads=3\n"
    "section device=D3 cpu=any threads=5\n";

TEST_F(TablesTest, NamesComeBeforeTheKindAndTheFileBeforeTheBuiltInTable) {
  Tables tables;
  tables.file = std::get<Table>(parse_table(good));  // D with C, 4 threads
  tables.built_in = std::get<Table>(parse_table(some_kinds));
  const struct {
    Machine machine;
    int threads;  // of the section; 0: none
    bool of_file;
  } cases[] = {
      {{"D", "C", "", 8}, 4, true},
      {{"D", "C", "kind:a", 16}, 4, true},  // the file's, though its threads are farther off
      {{"D2", "C2", "kind:a", 16}, 3, false},
      {{"D", "other", "kind:a", 1}, 1, false},
      {{"new", "C", "kind:a", 2}, 1, false},
      {{"new", "new", "kind:a", 12}, 16, false},
      {{"new", "new", "kind:a", 3}, 0, false},  // neither 1 nor 16 threads are within a factor of 2
      {{"new", "new", "kind:a", 33}, 0, false},
      {{"new", "new", "kind:b", 1}, 0, false},
      {{"new", "new", "", 1}, 0, false},  // no kind, no stand-in
      {{"D3", "C", "", 5}, 0, false},     // "any" serves kinds, not names
  };
  for (const auto& [machine, threads, of_file] : cases) {
    const ChosenSection chosen = section_for(tables, machine);
    const std::string what = std::string(machine.device) + " " + std::string(machine.cpu) + " " + std::string(machine.kind);
    EXPECT_EQ(chosen.section == nullptr ? 0 : chosen.section->threads, threads) << what;
    EXPECT_EQ(chosen.of_file, of_file) << what;
  }
}

TEST_F(TablesTest, AFileHasNoSectionsOfAKind) {
  Tables tables;
  tables.file = std::get<Table>(parse_table(some_kinds));
  tables.file_name = "file";
  tables.asked_for = true;
  const ChosenSection chosen = section_for(tables, {"new", "new", "kind:a", 1});
  EXPECT_EQ(chosen.section, nullptr);
  EXPECT_TRUE(chosen.unmet);
}

TEST_F(TablesTest, TheProcessReadsOnce) {
  const Tables* first = tables();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(tables(), first);
}

}  // namespace
}  // namespace ab::routing
