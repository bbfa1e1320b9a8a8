// SPDX-License-Identifier: MIT
// applebottom SUBCOMMAND: the command line of the library. Exit status: 0 fine, 1 a check failed, 2 wrong usage, 3 not available.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "spelling.hpp"
#include "subcommands.hpp"

namespace ab::cli {
namespace {

struct CommandLine {
  std::vector<std::string> own;      // ours, without the name of the program
  std::vector<std::string> program;  // what stands behind the first "--": a program and its arguments, never ours to read
};

CommandLine split_at_dashes(int count, char** arguments) {
  CommandLine line;
  line.own.assign(arguments + 1, arguments + count);
  const auto dashes = std::find(line.own.begin(), line.own.end(), "--");
  if (dashes == line.own.end()) return line;
  line.program.assign(dashes + 1, line.own.end());
  line.own.erase(dashes, line.own.end());
  return line;
}

void require_known_subcommand(const CommandLine& line, const std::map<std::string, Action>& actions) {
  if (line.own.empty() || line.own[0].rfind('-', 0) == 0 || actions.count(line.own[0]) > 0) return;
  std::vector<std::string> names;
  for (const auto& [name, action] : actions) names.push_back(name);
  throw Failure(Exit::WrongUsage, fmt::format("no subcommand '{}'; did you mean '{}'?", line.own[0], nearest_word(line.own[0], names)));
}

Exit parse_and_run(const CommandLine& line) {
  CLI::App app("FP64-class matrix products on hardware without fast FP64", "applebottom");
  app.set_version_flag("--version", std::string("apple-bottom ") + ab_version());
  app.require_subcommand(1);
  std::map<std::string, Action> actions;
  actions["info"] = add_info(*app.add_subcommand("info", "version, devices with their self-test, host BLAS, table, settings"));
  actions["selftest"] = add_selftest(*app.add_subcommand("selftest", "start-up checks and golden bits of each device"));
  actions["demo"] = add_demo(*app.add_subcommand("demo", "a short tour: every class on every device, then real programs"));
  actions["bench"] = add_bench(*app.add_subcommand("bench", "interleaved medians of host BLAS and device"));
  actions["calibrate"] =
      add_calibrate(*app.add_subcommand("calibrate", "measures this machine and writes the table that AB_MODE=auto follows"));
  actions["verify"] = add_verify(*app.add_subcommand("verify", "equal bits on every device, errors within what is certified"));
  actions["replay"] = add_replay(*app.add_subcommand("replay", "the calls of a trace again, on one device or on several"));
  actions["trace"] = add_trace(*app.add_subcommand("trace", "summary or plot of what AB_TRACE wrote"));
  actions["run"] = add_run(*app.add_subcommand("run", "starts a program with the library in front of its BLAS"), line.program);
  require_known_subcommand(line, actions);
  try {
    std::vector<std::string> reversed(line.own.rbegin(), line.own.rend());  // what CLI11 expects
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? Exit::Fine : Exit::WrongUsage;
  }
  return actions.at(app.get_subcommands().front()->get_name())();
}

}  // namespace
}  // namespace ab::cli

int main(int count, char** arguments) {
  try {
    return static_cast<int>(ab::cli::parse_and_run(ab::cli::split_at_dashes(count, arguments)));
  } catch (const ab::cli::Failure& failure) {
    fmt::print(stderr, "applebottom: {}\n", failure.what());
    return static_cast<int>(failure.status());
  } catch (const std::exception& error) {
    fmt::print(stderr, "applebottom: {}\n", error.what());
    return static_cast<int>(ab::cli::Exit::CheckFailed);
  }
}
