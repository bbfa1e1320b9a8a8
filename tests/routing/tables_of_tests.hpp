// SPDX-License-Identifier: MIT
// Routing tables written as text in tests.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "routing/table_text.hpp"

namespace ab::routing::test {

inline constexpr const char* section_line = "section device=\"NVIDIA H200\" cpu=\"Xeon 8480+\" threads=16\n";

/// A table of one section with these rows.
inline Table table_of(const std::string& rows) {
  std::variant<Table, TableError> parsed = parse_table("applebottom-dispatch 2\n" + std::string(section_line) + rows);
  if (const auto* error = std::get_if<TableError>(&parsed)) ADD_FAILURE() << "line " << error->line << ": " << error->what;
  return std::holds_alternative<Table>(parsed) ? std::get<Table>(parsed) : Table();
}

inline Section section_of(const std::string& rows) {
  const Table table = table_of(rows);
  return table.sections.empty() ? Section() : table.sections.front();
}

}  // namespace ab::routing::test
