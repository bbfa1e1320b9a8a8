// SPDX-License-Identifier: MIT
// One function per subcommand: declares its options and returns what runs it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "options.hpp"

namespace ab::cli {

using Action = std::function<Exit()>;

Action add_info(CLI::App& command);
Action add_selftest(CLI::App& command);
Action add_demo(CLI::App& command);
Action add_bench(CLI::App& command);
Action add_calibrate(CLI::App& command);
Action add_verify(CLI::App& command);
Action add_replay(CLI::App& command);
/// With subcommands of its own: summary, plot.
Action add_trace(CLI::App& command);
/// `program`: what stood behind "--" on the command line.
Action add_run(CLI::App& command, const std::vector<std::string>& program);

}  // namespace ab::cli
