// SPDX-License-Identifier: MIT
#include "routing/table_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <vector>

#include "core/routines.hpp"

namespace ab::routing {
namespace {

constexpr std::string_view first_line = "applebottom-dispatch 2";

struct Refusal {  // thrown inside this file only: a line that cannot be understood ends the reading
  std::string what;
};

std::string quoted(std::string_view word) {
  return "'" + std::string(word) + "'";
}

/// The fields of a line; blanks inside double quotes belong to a field, a # outside them starts a comment.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  std::size_t at = 0;
  while (true) {
    at = line.find_first_not_of(" \t\r", at);
    if (at == std::string_view::npos || line[at] == '#') return fields;
    std::size_t end = at;
    bool inside_quotes = false;
    while (end < line.size() && (inside_quotes || std::string_view(" \t\r#").find(line[end]) == std::string_view::npos)) {
      if (line[end] == '"') inside_quotes = !inside_quotes;
      ++end;
    }
    if (inside_quotes) throw Refusal{"a quote is not closed"};
    fields.push_back(line.substr(at, end - at));
    at = end;
  }
}

Index parse_size(std::string_view word) {
  Index value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value <= 0) throw Refusal{quoted(word) + " is no positive integer"};
  return value;
}

// By a stream with the C locale: the program's own locale must not change what a number means.
double parse_positive(std::string_view word) {
  std::istringstream stream{std::string(word)};
  stream.imbue(std::locale::classic());
  double value = 0;
  if (!(stream >> value) || stream.peek() != std::istringstream::traits_type::eof() || !std::isfinite(value) || value <= 0) {
    throw Refusal{quoted(word) + " is no positive number"};
  }
  return value;
}

std::optional<double> parse_time(std::string_view word) {
  if (word == "-") return std::nullopt;
  return parse_positive(word);
}

std::optional<double> parse_share(std::string_view word) {
  const std::optional<double> share = parse_time(word);
  if (share && *share >= 1) throw Refusal{quoted(word) + " is no share between 0 and 1"};
  return share;
}

char parse_letter(std::string_view word, std::string_view allowed) {
  if (word.size() != 1 || allowed.find(word[0]) == std::string_view::npos) {
    throw Refusal{quoted(word) + " is none of the letters " + std::string(allowed)};
  }
  return word[0];
}

std::array<char, 2> parse_letters(const Routine& routine, std::string_view first, std::string_view second) {
  std::array<char, 2> letters{};
  switch (variants_of(routine)) {
    case Variants::Transposes:
      letters = {parse_letter(first, "NTC"), parse_letter(second, "NTC")};
      break;
    case Variants::SideAndTriangle:
      letters = {parse_letter(first, "LR"), parse_letter(second, "UL")};
      break;
    case Variants::TriangleAndTranspose:
      letters = {parse_letter(first, "UL"), parse_letter(second, "NTC")};
      break;
  }
  if (!routine.complex) std::replace(letters.begin(), letters.end(), 'C', 'T');
  return letters;
}

TableClass parse_class(std::string_view word) {
  if (word == "dd") return TableClass::DoubleFloat;
  if (word == "fast") return TableClass::Fast;
  if (word == "fp64") return TableClass::Fp64;
  if (word == "vendor") return TableClass::Vendor;
  throw Refusal{"unknown class " + quoted(word)};
}

DataPath parse_path(std::string_view word) {
  if (word == "copied") return DataPath::Copied;
  if (word == "in_place") return DataPath::InPlace;
  throw Refusal{"unknown path " + quoted(word)};
}

void read_row(Section& section, const std::vector<std::string_view>& fields) {
  constexpr std::size_t field_count = 12;
  if (fields.size() != field_count) throw Refusal{std::to_string(fields.size()) + " fields, expected " + std::to_string(field_count)};
  const Routine* routine = find_routine(fields[0]);
  if (routine == nullptr) throw Refusal{"unknown routine " + quoted(fields[0])};
  const Key key{routine->name, parse_letters(*routine, fields[1], fields[2]), parse_class(fields[3]), parse_path(fields[4])};
  const Measurement row{.m = parse_size(fields[5]),
                        .n = parse_size(fields[6]),
                        .k = parse_size(fields[7]),
                        .host_ms = parse_time(fields[8]),
                        .device_ms = parse_time(fields[9]),
                        .split_ms = parse_time(fields[10]),
                        .split_share = parse_share(fields[11])};
  section.row(*routine, key, row) = row;
}

std::string_view unquoted(std::string_view value) {
  const bool in_quotes = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  if (in_quotes) value = value.substr(1, value.size() - 2);
  if (value.find('"') != std::string_view::npos) throw Refusal{"a quote in the middle of " + quoted(value)};
  return value;
}

Section read_section(const std::vector<std::string_view>& fields) {
  Section section;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    const std::size_t equals = fields[i].find('=');
    if (equals == std::string_view::npos) throw Refusal{quoted(fields[i]) + " is not key=value"};
    const std::string_view key = fields[i].substr(0, equals);
    const std::string_view value = unquoted(fields[i].substr(equals + 1));
    if (key == "device") section.device = value;
    if (key == "cpu") section.cpu = value;
    if (key == "host_blas") section.host_blas = value;
    if (key == "library") section.library = value;
    if (key == "date") section.date = value;
    if (key == "machines") section.machines = value;
    if (key == "threads") {
      const Index threads = parse_size(value);
      if (threads > std::numeric_limits<int>::max()) throw Refusal{quoted(value) + " threads are too many"};
      section.threads = static_cast<int>(threads);
    }
  }
  if (section.device.empty() || section.cpu.empty() || section.threads == 0) throw Refusal{"a section needs device, cpu and threads"};
  return section;
}

/// The section of that device, CPU and thread count; a repeated one goes on where the earlier one ended.
Section& section_like(Table& table, const Section& section) {
  for (Section& known : table.sections) {
    if (known.device == section.device && known.cpu == section.cpu && known.threads == section.threads) return known;
  }
  return table.sections.emplace_back(section);
}

}  // namespace

std::variant<Table, TableError> parse_table(std::string_view text) {
  Table table;
  std::ptrdiff_t current = -1;
  int line_number = 0;
  try {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (++line_number == 1) {
        if (line != first_line) throw Refusal{"the first line is not " + quoted(first_line)};
        continue;
      }
      const std::vector<std::string_view> fields = fields_of(line);
      if (fields.empty()) continue;
      if (fields[0] == "section") {
        current = &section_like(table, read_section(fields)) - table.sections.data();
      } else {
        if (current < 0) throw Refusal{"a row before any section"};
        read_row(table.sections[static_cast<std::size_t>(current)], fields);
      }
    }
    if (table.sections.empty()) throw Refusal{"there is no section"};
  } catch (const Refusal& refusal) {
    return TableError{std::max(line_number, 1), refusal.what};
  }
  return table;
}

namespace {

// Digits enough to tell medians apart, and the same in every locale.
std::string text_of(const std::optional<double>& value) {
  if (!value) return "-";
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), *value, std::chars_format::general, 6);
  return error == std::errc() ? std::string(text.data(), end) : "-";
}

const char* word_of(TableClass table_class) {
  constexpr const char* words[] = {"dd", "fast", "fp64", "vendor"};
  return words[static_cast<std::size_t>(table_class)];
}

// Quotes are what the reader cannot take inside of quotes.
std::string quoted_value(std::string value) {
  std::replace_if(
      value.begin(), value.end(), [](char c) { return c == '"' || c == '\n' || c == '\r'; }, '\'');
  return "\"" + value + "\"";
}

void append_padded(std::string& line, const std::string& word, std::size_t width) {
  line += word;
  line.append(width > word.size() ? width - word.size() : 0, ' ');
  line += ' ';
}

}  // namespace

std::string head_of(const Section& section) {
  std::string line = "section";
  const auto add = [&line](const char* key, const std::string& value) {
    if (!value.empty()) line += std::string(" ") + key + "=" + quoted_value(value);
  };
  add("device", section.device);
  add("cpu", section.cpu);
  add("threads", std::to_string(section.threads));
  add("host_blas", section.host_blas);
  add("library", section.library);
  add("date", section.date);
  add("machines", section.machines);
  return line;
}

std::string row_of(const Key& key, const Measurement& row) {
  std::string line;
  append_padded(line, std::string(key.op), 7);
  for (const char letter : key.letters) append_padded(line, std::string(1, letter), 2);
  append_padded(line, word_of(key.table_class), 6);
  append_padded(line, key.path == DataPath::InPlace ? "in_place" : "copied", 8);
  for (const Index size : {row.m, row.n, row.k}) append_padded(line, std::to_string(size), 5);
  for (const auto& time : {row.host_ms, row.device_ms, row.split_ms}) append_padded(line, text_of(time), 9);
  return line + text_of(row.split_share);
}

std::string text_of(const Table& table, const std::string& comment) {
  std::string text = std::string(first_line) + "\n";
  std::istringstream lines(comment);
  for (std::string line; std::getline(lines, line);) text += "# " + line + "\n";
  for (const Section& section : table.sections) {
    text += "\n" + head_of(section) + "\n# op    ta tb class  path     m     n     k     host_ms   device_ms split_ms  split_share\n";
    for (const Section::Group& group : section.groups) {
      for (const Measurement& row : group.rows) text += row_of(group.key, row) + "\n";
    }
  }
  return text;
}

}  // namespace ab::routing
