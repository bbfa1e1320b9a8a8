// SPDX-License-Identifier: MIT
// Which routing table is in force (spec 6.2): the file asked for, the per-user file, or the built-in one of tables/*.txt.
#pragma once
#include <string>
#include <vector>

#include "core/settings.hpp"
#include "routing/dispatch_table.hpp"

namespace ab::routing {

struct Tables {
  Table file;
  Table built_in;
  std::string file_name;   // "" when the built-in table alone is in force
  bool asked_for = false;  // by AB_DISPATCH_TABLE, not found as the per-user file

  bool empty() const { return file.sections.empty() && built_in.sections.empty(); }
};

/// Reads the tables that the settings name; what is wrong with a file goes to `complaints`.
Tables read_tables(const Settings& settings, std::vector<std::string>& complaints);

/// The tables of this process: read once, at the first lookup; then lock-free. Null when there is no memory for them.
const Tables* tables() noexcept;

/// What a section is looked for by.
struct Machine {
  std::string_view device, cpu;  // by name
  std::string_view kind;         // what the device is, whatever its name: device::Traits::table_kind; "" for none
  int threads;
};

struct ChosenSection {
  const Section* section = nullptr;  // null: every lookup is no_measurement
  bool of_file = false;              // not of the built-in table
  bool unmet = false;                // a file that was asked for has no section for this device and CPU
};
/// The section for this device and CPU by name: of the file, else of the built-in table. Failing that, the built-in one of the device's
/// kind for cpu "any": one machine's measurements stand in for those of its like.
ChosenSection section_for(const Tables& tables, const Machine& machine);

/// Whether a section may be for another device than the cpu device of this name.
bool names_other_devices(const Tables& tables, std::string_view cpu_device);

}  // namespace ab::routing
