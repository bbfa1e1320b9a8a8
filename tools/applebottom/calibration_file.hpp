// SPDX-License-Identifier: MIT
// The files of a calibration: rows that are finished, kept beside the table until all are; and the table, which changes in one step.
#pragma once
#include <string>

#include "routing/dispatch_table.hpp"

namespace ab::cli {

/// FILE.partial: the rows measured so far of one section, in the format of tables. Rows of a calibration that was interrupted are taken up
/// when it was of the same device, CPU, threads, host BLAS and library, measured in the same way.
class PartialTable {
 public:
  /// `way`: how it is measured, in words. Throws Failure(NotAvailable) when the file cannot be written.
  PartialTable(const std::string& table_file, const routing::Section& section, const std::string& way);
  const routing::Section& section() const { return section_; }
  bool has(const Routine& routine, const routing::Key& key, const routing::Measurement& shape) const;
  /// Adds a row and writes it before it returns.
  void add(const Routine& routine, const routing::Key& key, const routing::Measurement& row);
  void remove() const;

 private:
  void read_earlier(const std::string& way);
  std::string file_;
  routing::Section section_;
};

/// Puts the section into the table file: it replaces the rows of its own keys in a section of the same device, CPU and threads and leaves
/// everything else as it is. The old file stays until the new one is complete. Returns a complaint about an old file that cannot be read
/// as a table, "" otherwise. Throws Failure(NotAvailable) when it cannot be written.
std::string write_table(const std::string& table_file, const routing::Section& section);

/// Of the user: what 6.2 of the specification calls so. "" when there is no home.
std::string per_user_table_file();

}  // namespace ab::cli
