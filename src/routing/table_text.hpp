// SPDX-License-Identifier: MIT
// The text of a routing table, format 2 (spec 6.3), and its one strict reader.
#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "routing/dispatch_table.hpp"

namespace ab::routing {

struct TableError {
  int line;  // from 1
  std::string what;
};

/// The table in a text, or the first thing that is wrong: then the whole text is refused.
std::variant<Table, TableError> parse_table(std::string_view text);

/// A text that reads as the table; `comment`, line by line, stands at its top.
std::string text_of(const Table& table, const std::string& comment);
/// Its lines, without end.
std::string head_of(const Section& section);
std::string row_of(const Key& key, const Measurement& row);

}  // namespace ab::routing
