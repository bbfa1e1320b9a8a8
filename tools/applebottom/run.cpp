// SPDX-License-Identifier: MIT
// applebottom run [options] -- PROGRAM [ARGS]: the program with the library in front of its BLAS.
#include <fmt/core.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "preload.hpp"
#include "subcommands.hpp"

namespace ab::cli {
namespace {

struct RunOptions {
  SharedOptions shared;
  std::string mode;
  bool reproducible = false;
  bool report = false;
  std::string report_path;
  std::string trace;
  std::string host_blas;
  bool filter = false;
  bool check = false;
};

Environment environment_of(const RunOptions& options) {
  Environment environment = options.filter ? filter_environment(library_file()) : preload_environment(library_file());
  const auto set = [&](const char* name, const std::string& value) {
    if (!value.empty()) environment[name] = value;
  };
  set("AB_MODE", options.mode);
  set("AB_REPRODUCIBLE", options.reproducible ? "1" : "");
  set("AB_TRACE", options.trace);
  set("AB_HOST_BLAS", options.host_blas);
  set("AB_DEVICE", options.shared.device);
  set("AB_PRECISION", options.shared.precision);
  if (!options.report) return environment;
  // A report path is told from a switch by its slash.
  const bool has_slash = options.report_path.find('/') != std::string::npos;
  environment["AB_REPORT"] = options.report_path.empty() ? "1" : has_slash ? options.report_path : "./" + options.report_path;
  return environment;
}

/// Without a report nobody knows: a program may have had the library and still ended without exit handlers.
void print_check(const RunOptions& options, const std::optional<ReportSummary>& seen) {
  if (options.shared.json) {
    nlohmann::ordered_json json;
    json["library_loaded"] = seen ? nlohmann::ordered_json(true) : nullptr;
    json["calls"] = seen ? seen->calls : 0;
    json["calls_on_device"] = seen ? seen->calls_on_device : 0;
    fmt::print("{}\n", json.dump());
  } else if (!seen) {
    fmt::print("library loaded: not seen (no report: statically linked, set-user-ID, ended by a signal or by _exit)\n");
  } else {
    fmt::print("library loaded: yes    BLAS calls seen: {}    computed on a device: {}\n", seen->calls, seen->calls_on_device);
  }
}

/// The program's own exit status.
int run_and_check(const RunOptions& options, ChildCommand command) {
  const TemporaryFolder folder;
  std::string path = folder.path() + "/report";
  if (options.report && !options.report_path.empty()) {
    path = command.environment["AB_REPORT"];
  } else {
    command.environment["AB_REPORT"] = path;
  }
  const ChildResult child = run_child(command);
  print_check(options, read_report(path, child.pid));
  return child.status;
}

Exit run(const RunOptions& options, const std::vector<std::string>& program) {
  if (program.empty()) throw Failure(Exit::WrongUsage, "run: no program; write applebottom run [options] -- PROGRAM [ARGS]");
  ChildCommand command;
  command.arguments = program;
  command.environment = environment_of(options);
  return static_cast<Exit>(options.check ? run_and_check(options, command) : become(command));
}

}  // namespace

Action add_run(CLI::App& command, const std::vector<std::string>& program) {
  auto options = std::make_shared<RunOptions>();
  add_shared_options(command, options->shared);
  command.add_option("--mode", options->mode, "auto, cpu or gpu")->check(CLI::IsMember({"auto", "cpu", "gpu"}));
  command.add_flag("--reproducible", options->reproducible, "no result from a host BLAS");
  CLI::Option* report = command.add_option("--report", options->report_path, "report at exit, on stderr or to PATH.<pid>");
  report->expected(0, 1)->type_name("[=PATH]");
  command.add_option("--trace", options->trace, "trace of every call in PATH.<pid>")->type_name("PATH");
  command.add_option("--host-blas", options->host_blas, "the BLAS behind the library")->type_name("FILE")->check(CLI::ExistingFile);
  command.add_flag("--filter", options->filter, "a libblas.so.3 of ours in the search path, instead of a preload");
  command.add_flag("--check", options->check, "say afterwards whether the library was loaded and what it saw");
  command.footer(
      "usage: applebottom run [options] -- PROGRAM [ARGS]\nThe exit status is the program's; 126: not executable, 127: not found.");
  return [options, report, program] {
    options->report = report->count() > 0;
    return run(*options, program);
  };
}

}  // namespace ab::cli
