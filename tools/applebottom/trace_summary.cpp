// SPDX-License-Identifier: MIT
#include "trace_summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/call_watch.hpp"
#include "table.hpp"

namespace ab::cli {
namespace {

std::string size_word(double n) {
  return n <= 64 ? "tiny" : n <= 256 ? "small" : n <= 1024 ? "medium" : "large";
}

std::string form_word(const Shape& shape) {
  const auto [m, n, k] = shape;
  const auto [least, most] = std::minmax({m, n, k});
  if (most <= 4 * least) return "square";
  if (k >= 4 * std::max(m, n)) return "long";
  return 4 * k <= std::min(m, n) ? "flat" : "thin";
}

double share(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

double gflops(const SummaryLine& line) {
  return line.seconds > 0 ? line.flops * 1e-9 / line.seconds : 0;
}

std::string mean(double sum, Index calls) {
  return fmt::format("{:.0f}", std::floor(sum / static_cast<double>(calls)));
}

std::string line_of(const Trace& trace) {
  double seconds = 0;
  for (const TracedCall& call : trace.calls) seconds += call.duration_us * 1e-6;
  return fmt::format("{}: {}, pid {}, rank {}, apple-bottom {}, host BLAS {}, {} calls, {:.2f} s{}\n", trace.file, trace.program,
                     trace.process, trace.rank, trace.version, trace.host_blas.empty() ? "none" : trace.host_blas, trace.calls.size(),
                     seconds, trace.ended ? "" : ", not ended in order");
}

std::size_t shown(const Summary& summary, std::size_t top) {
  return top == 0 ? summary.lines.size() : std::min(top, summary.lines.size());
}

}  // namespace

std::string shape_class(const Shape& shape) {
  const double volume = static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  if (volume == 0) return "empty";
  return size_word(std::cbrt(volume) * (1 - 1e-12)) + " " + form_word(shape);  // the cube root of a cube may be off by a rounding
}

Summary summarize(const std::vector<Trace>& traces) {
  Summary summary;
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, SummaryLine> lines;
  std::map<std::string, double> stages;
  for (const Trace& trace : traces) {
    for (const TracedCall& call : trace.calls) {
      const std::string shape = shape_class(call.shape);
      SummaryLine& line = lines[{call.routine, shape, call.engine, call.method, call.reason}];
      line.routine = call.routine, line.shape = shape, line.engine = call.engine, line.method = call.method, line.reason = call.reason;
      ++line.calls;
      line.seconds += call.duration_us * 1e-6;
      line.flops += call.flops();
      line.m += static_cast<double>(call.shape.m);
      line.n += static_cast<double>(call.shape.n);
      line.k += static_cast<double>(call.shape.k);
      ++summary.calls;
      summary.seconds += call.duration_us * 1e-6;
    }
    for (const TracedStage& stage : trace.stages) stages[stage.name] += stage.duration_us * 1e-6;
  }
  for (auto& [key, line] : lines) summary.lines.push_back(std::move(line));
  std::stable_sort(summary.lines.begin(), summary.lines.end(),
                   [](const SummaryLine& a, const SummaryLine& b) { return a.seconds > b.seconds; });
  for (int stage = 0; stage < static_cast<int>(Stage::Count); ++stage) {
    const char* name = ab::word_of(static_cast<Stage>(stage));
    if (stages.count(name) > 0) summary.stage_seconds.emplace_back(name, stages[name]);
  }
  return summary;
}

std::string text_of(const Summary& summary, const std::vector<Trace>& traces, std::size_t top) {
  std::string text;
  for (const Trace& trace : traces) text += line_of(trace);
  text += fmt::format("{} calls, {:.2f} s in BLAS\n", summary.calls, summary.seconds);
  Table table({"routine", "shape", "engine", "method", "reason", "calls", "time s", "share %", "GFLOP/s", "mean m", "n", "k"});
  for (std::size_t i = 0; i < shown(summary, top); ++i) {
    const SummaryLine& line = summary.lines[i];
    table.add({line.routine, line.shape, line.engine, line.method, line.reason, std::to_string(line.calls),
               fmt::format("{:.3f}", line.seconds), fmt::format("{:.1f}", share(line.seconds, summary.seconds)),
               fmt::format("{:.1f}", gflops(line)), mean(line.m, line.calls), mean(line.n, line.calls), mean(line.k, line.calls)});
  }
  text += table.text();
  if (shown(summary, top) < summary.lines.size()) text += fmt::format("and {} more lines\n", summary.lines.size() - shown(summary, top));
  if (summary.stage_seconds.empty()) return text;
  text += "stages s ";
  for (const auto& [name, seconds] : summary.stage_seconds) text += fmt::format("  {} {:.3f}", name, seconds);
  return text + "\n";
}

nlohmann::ordered_json json_of(const Summary& summary, const std::vector<Trace>& traces, std::size_t top) {
  nlohmann::ordered_json json;
  json["files"] = nlohmann::ordered_json::array();
  for (const Trace& trace : traces) {
    json["files"].push_back({{"file", trace.file},
                             {"program", trace.program},
                             {"pid", trace.process},
                             {"rank", trace.rank},
                             {"calls", trace.calls.size()},
                             {"ended", trace.ended},
                             {"bad_lines", trace.bad_lines}});
  }
  json["calls"] = summary.calls;
  json["seconds"] = summary.seconds;
  json["lines"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < shown(summary, top); ++i) {
    const SummaryLine& line = summary.lines[i];
    json["lines"].push_back({{"routine", line.routine},
                             {"shape", line.shape},
                             {"engine", line.engine},
                             {"method", line.method},
                             {"reason", line.reason},
                             {"calls", line.calls},
                             {"seconds", line.seconds},
                             {"gflops", gflops(line)}});
  }
  json["stages"] = nlohmann::ordered_json::object();
  for (const auto& [name, seconds] : summary.stage_seconds) json["stages"][name] = seconds;
  return json;
}

}  // namespace ab::cli
