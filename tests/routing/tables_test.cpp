// SPDX-License-Identifier: MIT
// Which file is read, what is said when it cannot be, and which section holds.
#include "routing/tables.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

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
  EXPECT_TRUE(read(settings).empty());
  EXPECT_TRUE(complaints_.empty());
}

TEST_F(TablesTest, TheFileAskedForIsRead) {
  Settings settings;
  settings.dispatch_table = write("table.txt", good);
  const Tables tables = read(settings);
  EXPECT_TRUE(complaints_.empty());
  EXPECT_EQ(tables.file_name, settings.dispatch_table);
  const ChosenSection chosen = section_for(tables, "D", "C", 2);
  ASSERT_NE(chosen.section, nullptr);
  EXPECT_EQ(chosen.section->threads, 4);
  EXPECT_FALSE(chosen.unmet);
}

TEST_F(TablesTest, ThePerUserFileIsReadUnlessTheBuiltInOneIsAskedFor) {
  Settings settings;
  settings.config_home = folder_;
  write("applebottom/dispatch_table.txt", good);
  EXPECT_NE(section_for(read(settings), "D", "C", 4).section, nullptr);
  settings.dispatch_table = "builtin";
  EXPECT_EQ(section_for(read(settings), "D", "C", 4).section, nullptr);
}

TEST_F(TablesTest, ASectionThatIsMissingIsUnmetOnlyWhenTheFileWasAskedFor) {
  Settings settings;
  settings.config_home = folder_;
  const std::string file = write("applebottom/dispatch_table.txt", good);
  EXPECT_FALSE(section_for(read(settings), "other", "C", 4).unmet);
  settings.dispatch_table = file;
  EXPECT_TRUE(section_for(read(settings), "other", "C", 4).unmet);
}

TEST_F(TablesTest, AnUnreadableFileIsOneComplaintThatNamesTheVariable) {
  for (const std::string& file : {folder_ + "/none", folder_}) {  // a folder opens, but cannot be read
    Settings settings;
    settings.dispatch_table = file;
    EXPECT_TRUE(read(settings).empty());
    ASSERT_EQ(complaints_.size(), 1u) << file;
    EXPECT_EQ(complaints_[0].find("AB_DISPATCH_TABLE=\"" + file + "\""), 0u) << complaints_[0];
    EXPECT_NE(complaints_[0].find("built-in"), std::string::npos);
  }
}

TEST_F(TablesTest, ABadFileIsOneComplaintWithItsLine) {
  Settings settings;
  settings.dispatch_table = write("table.txt", std::string(good) + "dgemm N N fp64 copied 100 100 100 20\n");
  EXPECT_TRUE(read(settings).empty());  // all of it is refused
  ASSERT_EQ(complaints_.size(), 1u);
  EXPECT_NE(complaints_[0].find("line 4"), std::string::npos) << complaints_[0];
  settings.dispatch_table.clear();
  settings.config_home = folder_;
  const std::string per_user = write("applebottom/dispatch_table.txt", "");
  EXPECT_TRUE(read(settings).empty());
  ASSERT_EQ(complaints_.size(), 1u);
  EXPECT_EQ(complaints_[0].find(per_user + ", line 1"), 0u) << complaints_[0];
}

TEST_F(TablesTest, TheProcessReadsOnce) {
  const Tables* first = tables();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(tables(), first);
}

}  // namespace
}  // namespace ab::routing
