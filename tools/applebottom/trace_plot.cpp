// SPDX-License-Identifier: MIT
#include "trace_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "line_chart.hpp"
#include "svg.hpp"

namespace ab::cli {
namespace {

// Chosen, in pixels.
constexpr double left = 150, right = 30, top = 56, lane_height = 16, lane_step = 20, chart_gap = 60, chart_height = 340;
constexpr double width = svg_width - left - right;
constexpr std::size_t most_lanes = 64;

struct Engine {
  const char *word, *colour;
};
constexpr std::array<Engine, 4> engines{{{"host", "#8a8f98"}, {"device", "#2f6fb3"}, {"split", "#6b4fb3"}, {"none", "#d9822b"}}};

std::size_t engine_of(const TracedCall& call) {
  for (std::size_t e = 0; e + 1 < engines.size(); ++e) {
    if (call.engine == engines[e].word) return e;
  }
  return engines.size() - 1;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x, y, anchor, escaped(text)) + "\n";
}
std::string rule(double x1, double y1, double x2, double y2) {
  return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="#d8dbe0"/>)", x1, y1, x2, y2) + "\n";
}

struct Extent {  // of time, microseconds of the wall clock
  double first = HUGE_VAL, last = -HUGE_VAL;
  double length() const { return std::max(last - first, 1e-3); }
};

Extent extent_of(const std::vector<Trace>& traces) {
  Extent extent;
  for (const Trace& trace : traces) {
    for (const TracedCall& call : trace.calls) {
      extent.first = std::min(extent.first, trace.start_unix_us + call.start_us);
      extent.last = std::max(extent.last, trace.start_unix_us + call.start_us + call.duration_us);
    }
  }
  return extent;
}

using Lane = std::vector<std::array<double, engines.size()>>;  // share of each pixel that each engine takes

void add_to(Lane& lane, double from, double to, std::size_t engine) {  // pixels
  const auto last = static_cast<double>(lane.size());
  for (double x = std::clamp(from, 0.0, last - 1e-6), end = std::clamp(to, 0.0, last); x < end || x == from;) {
    const auto pixel = static_cast<std::size_t>(x);
    const double next = std::min(end, std::floor(x) + 1);
    lane[pixel][engine] += std::max(next - x, 0.0);
    if (next <= x) break;
    x = next;
  }
}

// A pixel in which hardly anything happened is drawn faintly.
std::string drawn(const Lane& lane, double y) {
  std::string svg;
  for (std::size_t e = 0; e < engines.size(); ++e) {
    for (std::size_t first = 0; first < lane.size();) {
      const auto shade = [&](std::size_t pixel) { return static_cast<int>(std::ceil(4 * std::min(1.0, lane[pixel][e]))); };
      std::size_t last = first;
      while (last < lane.size() && shade(last) == shade(first)) ++last;
      if (shade(first) > 0) {
        svg += fmt::format(R"(<rect x="{:.0f}" y="{:.0f}" width="{}" height="{}" fill="{}" fill-opacity="{:.2f}"/>)",
                           left + static_cast<double>(first), y, last - first, lane_height, engines[e].colour, shade(first) / 4.0) +
               "\n";
      }
      first = last;
    }
  }
  return svg;
}

std::map<std::string, Lane> lanes_of(const std::vector<Trace>& traces, const Extent& extent) {
  std::map<std::string, Lane> lanes;
  for (const Trace& trace : traces) {
    for (const TracedCall& call : trace.calls) {
      Lane& lane = lanes.try_emplace(fmt::format("rank {} {}/{}", trace.rank, trace.process, call.thread)).first->second;
      lane.resize(static_cast<std::size_t>(width));
      const double from = (trace.start_unix_us + call.start_us - extent.first) / extent.length() * width;
      add_to(lane, from, from + call.duration_us / extent.length() * width, engine_of(call));
    }
  }
  return lanes;
}

std::string timeline(const std::vector<Trace>& traces, double& y) {
  const Extent extent = extent_of(traces);
  const std::map<std::string, Lane> lanes = lanes_of(traces, extent);
  std::string svg;
  std::size_t count = 0;
  for (const auto& [name, lane] : lanes) {
    if (count++ == most_lanes) {
      svg += text_at(left - 8, y + 12, "end", fmt::format("and {} more", lanes.size() - most_lanes));
      y += lane_step;
      break;
    }
    svg += text_at(left - 8, y + 12, "end", name) + drawn(lane, y);
    y += lane_step;
  }
  const double seconds = extent.length() * 1e-6, step = axis_step(seconds, 8);
  for (int tick = 0; tick * step <= seconds * (1 + 1e-9); ++tick) {
    const double x = left + tick * step / seconds * width;
    svg += rule(x, y, x, y + 5) + text_at(x, y + 18, "middle", fmt::format("{:.4g}", tick * step));
  }
  svg += text_at(left + width / 2, y + 34, "middle", "s");
  return svg;
}

double size_of(const TracedCall& call) {
  return std::cbrt(
      std::max(1.0, static_cast<double>(call.shape.m) * static_cast<double>(call.shape.n) * static_cast<double>(call.shape.k)));
}

struct Range {  // powers of the base at both ends of a logarithmic axis
  int first = 0, last = 1;
};
Range range_of(const std::vector<Trace>& traces, double base, double (*value)(const TracedCall&)) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (const Trace& trace : traces) {
    for (const TracedCall& call : trace.calls) {
      least = std::min(least, value(call));
      most = std::max(most, value(call));
    }
  }
  const int first = static_cast<int>(std::floor(std::log(least) / std::log(base) + 1e-9));
  return {first, std::max(first + 1, static_cast<int>(std::ceil(std::log(most) / std::log(base) - 1e-9)))};
}
double time_of(const TracedCall& call) {
  return std::max(call.duration_us, 1e-2);
}

std::string scatter(const std::vector<Trace>& traces, double chart_top) {
  const double bottom = chart_top + chart_height;
  const Range sizes = range_of(traces, 2, size_of), times = range_of(traces, 10, time_of);
  const auto x_of = [&](double n) { return left + width * (std::log2(n) - sizes.first) / (sizes.last - sizes.first); };
  const auto y_of = [&](double us) { return bottom - chart_height * (std::log10(us) - times.first) / (times.last - times.first); };
  std::string svg;
  for (int octave = sizes.first; octave <= sizes.last; ++octave) {
    const double x = x_of(std::exp2(octave));
    svg += rule(x, chart_top, x, bottom) + text_at(x, bottom + 18, "middle", fmt::format("{:.0f}", std::exp2(octave)));
  }
  for (int decade = times.first; decade <= times.last; ++decade) {
    const double y = y_of(std::pow(10.0, decade));
    svg += rule(left, y, svg_width - right, y) + text_at(left - 8, y + 4, "end", fmt::format("{:.3g} ms", std::pow(10.0, decade - 3)));
  }
  std::map<std::tuple<int, int, std::size_t>, std::pair<Index, const TracedCall*>> marks;
  for (const Trace& trace : traces) {
    for (const TracedCall& call : trace.calls) {
      const auto place = std::tuple(static_cast<int>(std::lround(x_of(size_of(call)))), static_cast<int>(std::lround(y_of(time_of(call)))),
                                    engine_of(call));
      auto& [count, first] = marks[place];
      if (count++ == 0) first = &call;
    }
  }
  for (const auto& [place, mark] : marks) {
    const auto& [x, y, engine] = place;
    const auto& [count, call] = mark;
    const std::string label = fmt::format("{} {}, {:.3f} ms, {}{}", call->routine, text_of(call->shape), call->duration_us * 1e-3,
                                          call->reason, count > 1 ? fmt::format(", {} calls here", count) : "");
    svg += fmt::format(R"(<circle cx="{}" cy="{}" r="3" fill="{}" fill-opacity="0.7"><title>{}</title></circle>)", x, y,
                       engines[engine].colour, escaped(label)) +
           "\n";
  }
  return svg + text_at(left + width / 2, bottom + 38, "middle", "n = cube root of m n k");
}

std::string legend() {
  std::string svg;
  double x = left;
  for (const Engine& engine : engines) {
    svg += fmt::format(R"(<rect x="{:.0f}" y="28" width="12" height="12" fill="{}"/>)", x, engine.colour) +
           text_at(x + 18, 39, "start", engine.word == std::string("none") ? "other" : engine.word);
    x += 90;
  }
  return svg;
}

}  // namespace

std::string svg_of(const std::vector<Trace>& traces) {
  const bool any = std::any_of(traces.begin(), traces.end(), [](const Trace& trace) { return !trace.calls.empty(); });
  const std::string title = traces.size() == 1 ? traces[0].program : fmt::format("{} processes", traces.size());
  if (!any) return svg_document(80, title, text_at(left, 60, "start", "no calls"));
  double y = top;
  const std::string lanes = timeline(traces, y);
  const double chart_top = y + chart_gap;
  return svg_document(static_cast<int>(chart_top + chart_height + 60), title, legend() + lanes + scatter(traces, chart_top));
}

}  // namespace ab::cli
