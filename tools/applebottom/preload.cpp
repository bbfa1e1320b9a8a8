// SPDX-License-Identifier: MIT
#include "preload.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

#include "options.hpp"

namespace ab::cli {
namespace {

namespace fs = std::filesystem;

#if defined(__APPLE__)
constexpr const char* preload_variable = "DYLD_INSERT_LIBRARIES";
constexpr const char* library_name = "libapplebottom.dylib";
fs::path own_file() {
  char name[4096];
  std::uint32_t size = sizeof name;
  if (_NSGetExecutablePath(name, &size) != 0) throw Failure(Exit::NotAvailable, "cannot tell where this program lies");
  return fs::canonical(name);
}
#else
constexpr const char* preload_variable = "LD_PRELOAD";
constexpr const char* library_name = "libapplebottom.so";
fs::path own_file() {
  return fs::canonical("/proc/self/exe");
}
#endif

}  // namespace

std::string library_file() {
  const fs::path folder = own_file().parent_path();
  std::vector<fs::path> places = {folder / library_name, folder / ".." / AB_LIBRARY_FOLDER / library_name,
                                  folder / "../lib" / library_name};
  if (const char* asked = std::getenv("AB_LIBRARY")) places = {asked};
  for (const fs::path& place : places) {
    if (!fs::exists(place)) continue;
    const std::string file = fs::canonical(place).string();
    if (file.find_first_of(" :") == std::string::npos) return file;
    throw Failure(Exit::NotAvailable, fmt::format("{}: a path with blanks or colons cannot be preloaded", file));
  }
  throw Failure(Exit::NotAvailable, fmt::format("{} not found (looked for {})", library_name, places.front().string()));
}

Environment preload_environment(const std::string& library) {
  const char* already = std::getenv(preload_variable);
  return {{preload_variable, already && *already ? library + ":" + already : library}};
}

Environment filter_environment(const std::string& library) {
  const fs::path folder = fs::path(library).parent_path();
  for (const char* place : {"applebottom/blas", "filter/blas"}) {  // installed, built
    if (!fs::exists(folder / place / "libblas.so.3")) continue;
    const char* already = std::getenv("LD_LIBRARY_PATH");
    return {{"LD_LIBRARY_PATH", (folder / place).string() + (already && *already ? std::string(":") + already : "")}};
  }
  throw Failure(Exit::NotAvailable, fmt::format("{}: no filter library, since there was no host BLAS when this was built, or not on Linux",
                                                (folder / "applebottom/blas/libblas.so.3").string()));
}

std::optional<ReportSummary> read_report(const std::string& path, long pid) {
  std::ifstream file(path + "." + std::to_string(pid));
  if (!file) return std::nullopt;
  ReportSummary summary;
  std::string line;
  bool in_table = false;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string routine, engine, method, reason;
    fields >> routine >> engine >> method >> reason;
    if (routine == "routine") {
      in_table = true;
    } else if (routine == "stages" || routine == "declines") {
      in_table = false;
    } else if (in_table) {
      std::uint64_t calls = 0;
      fields >> calls;
      summary.calls += calls;
      if (engine != "host") summary.calls_on_device += calls;
    }
    if (in_table) summary.lines.push_back(line);
  }
  return summary;
}

}  // namespace ab::cli
