// SPDX-License-Identifier: MIT
#include "routing/tables.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>

#include "routing/builtin_table.hpp"
#include "routing/table_text.hpp"

namespace ab::routing {
namespace {

constexpr std::string_view any_cpu = "any";  // in sections of a kind

std::optional<std::string> text_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  if (stream.peek() != std::ifstream::traits_type::eof()) text << stream.rdbuf();  // an empty file is no failure
  if (stream.bad() || text.bad()) return std::nullopt;                             // a folder, for example
  return std::move(text).str();
}

void read_file(const std::string& file, const std::string& named, Tables& tables, std::vector<std::string>& complaints) {
  const std::optional<std::string> text = text_of(file);
  if (!text) {
    if (tables.asked_for) complaints.push_back(named + " cannot be read; using the built-in table");
    return;
  }
  std::variant<Table, TableError> parsed = parse_table(*text);
  if (const TableError* error = std::get_if<TableError>(&parsed)) {
    complaints.push_back(named + ", line " + std::to_string(error->line) + ": " + error->what + "; using the built-in table");
    return;
  }
  tables.file = std::get<Table>(std::move(parsed));
  tables.file_name = file;
}

constinit std::atomic<const Tables*> the_tables{nullptr};

// As the settings: several threads may read, one publishes and complains.
const Tables* publish_tables() {
  std::vector<std::string> complaints;
  auto fresh = std::make_unique<const Tables>(read_tables(settings(), complaints));
  const Tables* published = nullptr;
  if (!the_tables.compare_exchange_strong(published, fresh.get(), std::memory_order_acq_rel)) return published;
  for (const std::string& complaint : complaints) warn(complaint);
  return fresh.release();
}

}  // namespace

Tables read_tables(const Settings& settings, std::vector<std::string>& complaints) {
  Tables tables;
  for (const BuiltinTable& built_in : builtin_tables) {
    std::variant<Table, TableError> parsed = parse_table(built_in.text);
    Table* table = std::get_if<Table>(&parsed);
    assert(table != nullptr);
    if (table != nullptr) std::move(table->sections.begin(), table->sections.end(), std::back_inserter(tables.built_in.sections));
  }
  if (settings.dispatch_table == "builtin") return tables;
  tables.asked_for = !settings.dispatch_table.empty();
  if (tables.asked_for) {
    read_file(settings.dispatch_table, "AB_DISPATCH_TABLE=\"" + settings.dispatch_table + "\"", tables, complaints);
  } else if (!settings.config_home.empty()) {
    const std::string file = settings.config_home + "/applebottom/dispatch_table.txt";
    read_file(file, file, tables, complaints);
  }
  return tables;
}

const Tables* tables() noexcept {
  const Tables* published = the_tables.load(std::memory_order_acquire);
  if (published != nullptr) return published;
  try {
    return publish_tables();
  } catch (...) {  // out of memory: no measurement this time
    return nullptr;
  }
}

ChosenSection section_for(const Tables& tables, const Machine& machine) {
  const auto& [device, cpu, kind, threads] = machine;
  if (const Section* section = choose_section(tables.file, device, cpu, threads)) return {section, true, false};
  ChosenSection chosen{.unmet = tables.asked_for && !tables.file_name.empty()};
  chosen.section = choose_section(tables.built_in, device, cpu, threads);
  if (chosen.section != nullptr || kind.empty()) return chosen;
  // Another machine's measurements: with threads in very different numbers they say nothing.
  const Section* const of_kind = choose_section(tables.built_in, kind, any_cpu, threads);
  if (of_kind != nullptr && threads <= 2 * of_kind->threads && of_kind->threads <= 2 * threads) chosen.section = of_kind;
  return chosen;
}

bool names_other_devices(const Tables& tables, std::string_view cpu_device) {
  const auto is_other = [&](const Section& section) { return section.device != cpu_device && !section.device.starts_with("cpu:"); };
  return std::any_of(tables.file.sections.begin(), tables.file.sections.end(), is_other) ||
         std::any_of(tables.built_in.sections.begin(), tables.built_in.sections.end(), is_other);
}

}  // namespace ab::routing
