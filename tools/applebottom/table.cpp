// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace ab::cli {
namespace {

bool is_number(const std::string& cell) {
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  return !cell.empty() && *end == '\0';
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_[0].size(), 0);
  std::vector<bool> numeric(rows_[0].size(), true);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], row[c].size());
      if (&row != &rows_[0] && row[c] != "-" && !row[c].empty() && !is_number(row[c])) numeric[c] = false;
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) line += "  ";
      line += numeric[c] ? fmt::format("{:>{}}", row[c], widths[c]) : fmt::format("{:<{}}", row[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace ab::cli
