// SPDX-License-Identifier: MIT
// Putting the library in front of a program's BLAS, and reading what it then reports.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "child.hpp"

namespace ab::cli {

/// The shared library: AB_LIBRARY, else beside this program or where it was installed. Throws Failure(NotAvailable).
std::string library_file();
/// The variable that loads it first, with what the caller preloads already kept behind it.
Environment preload_environment(const std::string& library);
/// The variable that makes programs find our filter libblas.so.3, which lies beside the library, first. Throws Failure(NotAvailable).
Environment filter_environment(const std::string& library);

struct ReportSummary {
  std::uint64_t calls = 0;            // BLAS calls seen
  std::uint64_t calls_on_device = 0;  // computed on one
  std::vector<std::string> lines;     // title and one line per routine and way
};
/// The report that a process of this id wrote to `path`.<pid>; none when it wrote none.
std::optional<ReportSummary> read_report(const std::string& path, long pid);

}  // namespace ab::cli
