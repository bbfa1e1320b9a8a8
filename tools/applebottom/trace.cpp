// SPDX-License-Identifier: MIT
// applebottom trace summary | plot FILE...: what AB_TRACE wrote, of one process or of all ranks of a run.
#include <fmt/core.h>

#include <fstream>
#include <memory>

#include "subcommands.hpp"
#include "trace_plot.hpp"
#include "trace_summary.hpp"

namespace ab::cli {
namespace {

struct TraceOptions {
  SharedOptions shared;
  std::vector<std::string> files;
  std::size_t top = 0;
  std::string output;
};

std::vector<Trace> read_all(const TraceOptions& options) {
  std::vector<Trace> traces;
  for (const std::string& file : options.files) traces.push_back(read_trace(file));
  return traces;
}

/// Names the lines that could not be read.
Exit conclude(const std::vector<Trace>& traces) {
  Exit exit = Exit::Fine;
  for (const Trace& trace : traces) {
    for (const std::string& line : trace.bad_lines) fmt::print(stderr, "applebottom: {}\n", line);
    if (!trace.bad_lines.empty()) exit = Exit::CheckFailed;
  }
  return exit;
}

Exit summary(const TraceOptions& options) {
  const std::vector<Trace> traces = read_all(options);
  const Summary summary = summarize(traces);
  fmt::print("{}", options.shared.json ? json_of(summary, traces, options.top).dump(1) + "\n" : text_of(summary, traces, options.top));
  return conclude(traces);
}

Exit plot(const TraceOptions& options) {
  const std::vector<Trace> traces = read_all(options);
  std::ofstream file(options.output);
  file << svg_of(traces);
  file.close();
  if (!file) throw Failure(Exit::NotAvailable, options.output + " cannot be written");
  if (options.shared.json) fmt::print("{}\n", nlohmann::ordered_json({{"output", options.output}}).dump());
  return conclude(traces);
}

}  // namespace

Action add_trace(CLI::App& command) {
  auto options = std::make_shared<TraceOptions>();
  command.require_subcommand(1);
  CLI::App* summary_command = command.add_subcommand("summary", "totals by routine, shape class, engine and reason");
  CLI::App* plot_command = command.add_subcommand("plot", "timeline and time against size, as SVG");
  for (CLI::App* each : {summary_command, plot_command}) {
    add_shared_options(*each, options->shared);
    each->add_option("FILE", options->files, "what AB_TRACE wrote, a file a process")->required();
  }
  summary_command->add_option("--top", options->top, "lines of the table; 0: all")->capture_default_str();
  plot_command->add_option("--output", options->output, "the picture")->type_name("FILE.svg")->required();
  return [options, plot_command] { return plot_command->parsed() ? plot(*options) : summary(*options); };
}

}  // namespace ab::cli
