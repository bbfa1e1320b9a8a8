// SPDX-License-Identifier: MIT
#include "calibration_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "core/settings.hpp"
#include "options.hpp"
#include "routing/table_text.hpp"

namespace ab::cli {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> text_of_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  if (stream.peek() != std::ifstream::traits_type::eof()) text << stream.rdbuf();
  return text.str();
}

// Makes the folder. All of it reaches the disk, or Failure.
void write_file(const std::string& file, const std::string& text, const char* mode) {
  const fs::path folder = fs::path(file).parent_path();
  std::error_code ignored;  // writing says what is wrong
  if (!folder.empty()) fs::create_directories(folder, ignored);
  std::FILE* const stream = std::fopen(file.c_str(), mode);
  bool written = stream != nullptr && std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (stream != nullptr && std::fclose(stream) != 0) written = false;
  if (!written) throw Failure(Exit::NotAvailable, fmt::format("cannot write {}", file));
}

std::string without_date(routing::Section section) {
  section.date.clear();
  return routing::head_of(section);
}

std::string comment_of(const std::string& way) {
  return "# " + way;
}

bool is_of(const routing::Section& a, const routing::Section& b) {
  return a.device == b.device && a.cpu == b.cpu && a.threads == b.threads;
}

void copy_rows(const routing::Section& from, routing::Section& to) {
  for (const routing::Section::Group& group : from.groups) {
    const Routine& routine = *find_routine(group.key.op);
    for (const routing::Measurement& row : group.rows) to.row(routine, group.key, row) = row;
  }
}

// The new section with those groups of the old one that it has nothing of.
routing::Section merged(const routing::Section& old, const routing::Section& fresh) {
  routing::Section kept = fresh;
  kept.groups.clear();
  routing::Section section = fresh;
  for (const routing::Section::Group& group : old.groups) {
    const Routine& routine = *find_routine(group.key.op);
    if (fresh.find(routine, group.key) != nullptr) continue;
    for (const routing::Measurement& row : group.rows) section.row(routine, group.key, row) = row;
  }
  return section;
}

}  // namespace

PartialTable::PartialTable(const std::string& table_file, const routing::Section& section, const std::string& way)
    : file_(table_file + ".partial"), section_(section) {
  read_earlier(way);
  routing::Table table;
  table.sections.push_back(section_);
  write_file(file_, routing::text_of(table, way), "w");
}

void PartialTable::read_earlier(const std::string& way) {
  std::optional<std::string> text = text_of_file(file_);
  if (!text) return;
  text->resize(text->rfind('\n') + 1);  // a line that was being written
  if (text->find("\n" + comment_of(way) + "\n") == std::string::npos) return;
  const auto parsed = routing::parse_table(*text);
  const auto* table = std::get_if<routing::Table>(&parsed);
  if (table == nullptr || without_date(table->sections[0]) != without_date(section_)) return;
  copy_rows(table->sections[0], section_);
}

bool PartialTable::has(const Routine& routine, const routing::Key& key, const routing::Measurement& shape) const {
  const routing::Section::Group* group = section_.find(routine, key);
  if (group == nullptr) return false;
  return std::any_of(group->rows.begin(), group->rows.end(),
                     [&](const routing::Measurement& row) { return row.m == shape.m && row.n == shape.n && row.k == shape.k; });
}

void PartialTable::add(const Routine& routine, const routing::Key& key, const routing::Measurement& row) {
  section_.row(routine, key, row) = row;
  write_file(file_, routing::row_of(key, row) + "\n", "a");
}

void PartialTable::remove() const {
  std::remove(file_.c_str());
}

std::string write_table(const std::string& table_file, const routing::Section& section) {
  std::string complaint;
  routing::Table table;
  if (const std::optional<std::string> text = text_of_file(table_file)) {
    auto parsed = routing::parse_table(*text);
    if (const auto* error = std::get_if<routing::TableError>(&parsed)) {
      complaint = fmt::format("{}, line {}: {}; the old table is replaced", table_file, error->line, error->what);
    } else {
      table = std::get<routing::Table>(std::move(parsed));
    }
  }
  const auto old = std::find_if(table.sections.begin(), table.sections.end(), [&](const auto& other) { return is_of(other, section); });
  if (old == table.sections.end()) {
    table.sections.push_back(section);
  } else {
    *old = merged(*old, section);
  }
  const std::string fresh = table_file + ".new";
  write_file(fresh, routing::text_of(table, "Measured by applebottom calibrate (docs/routing.md)."), "w");
  if (std::rename(fresh.c_str(), table_file.c_str()) != 0) throw Failure(Exit::NotAvailable, fmt::format("cannot write {}", table_file));
  return complaint;
}

std::string per_user_table_file() {
  const std::string& home = settings().config_home;
  return home.empty() ? "" : home + "/applebottom/dispatch_table.txt";
}

}  // namespace ab::cli
