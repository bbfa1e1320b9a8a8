// SPDX-License-Identifier: MIT
#include "line_chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "svg.hpp"

namespace ab::cli {
namespace {

constexpr double left = 80, right = 30, top = 40, plot_height = 380, legend_step = 18;  // chosen, in pixels
constexpr double plot_width = svg_width - left - right, bottom = top + plot_height;

struct Axes {
  int first_octave, last_octave;  // log2 of n at the ends
  double step, highest;           // GFLOP/s

  double x(double n) const { return left + plot_width * (std::log2(n) - first_octave) / (last_octave - first_octave); }
  double y(double gflops) const { return bottom - plot_height * gflops / highest; }
};

Axes axes_of(const std::vector<Line>& lines) {
  double smallest = 0x1p62, largest = 1, fastest = 1e-300;
  for (const Line& line : lines) {
    for (const Point& point : line.points) {
      smallest = std::min(smallest, point.n);
      largest = std::max(largest, point.n);
      fastest = std::max(fastest, point.gflops);
    }
  }
  constexpr double slack = 1e-9;  // the cube root of a cube may be off by a rounding
  const int first = static_cast<int>(std::floor(std::log2(smallest) + slack));
  const int last = std::max(first + 1, static_cast<int>(std::ceil(std::log2(largest) - slack)));
  const double step = axis_step(fastest, 8);
  return {first, last, step, step * std::ceil(fastest / step)};
}

std::string rule(double x1, double y1, double x2, double y2) {
  return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="#d8dbe0"/>)", x1, y1, x2, y2);
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x, y, anchor, escaped(text)) + "\n";
}

std::string drawn(const Axes& axes) {
  std::string svg;
  for (int octave = axes.first_octave; octave <= axes.last_octave; ++octave) {
    const double x = axes.x(std::exp2(octave));
    svg += rule(x, top, x, bottom) + text_at(x, bottom + 18, "middle", fmt::format("{:.0f}", std::exp2(octave)));
  }
  for (int step = 0; step * axes.step <= axes.highest * (1 + 1e-9); ++step) {
    const double y = axes.y(step * axes.step);
    svg += rule(left, y, svg_width - right, y) + text_at(left - 8, y + 4, "end", fmt::format("{:.4g}", step * axes.step));
  }
  svg += text_at(left + plot_width / 2, bottom + 38, "middle", "n = cube root of m n k");
  return svg +
         fmt::format(R"svg(<text x="22" y="{0}" text-anchor="middle" transform="rotate(-90 22 {0})">GFLOP/s</text>)svg",
                     top + plot_height / 2) +
         "\n";
}

std::string drawn(const Line& line, const Axes& axes) {
  std::string places, marks;
  for (const Point& point : line.points) {
    const std::string x = fmt::format("{:.1f}", axes.x(point.n)), y = fmt::format("{:.1f}", axes.y(point.gflops));
    places += (places.empty() ? "" : " ") + x + "," + y;
    marks += fmt::format(R"(<circle cx="{}" cy="{}" r="3.5" fill="{}"><title>{}</title></circle>)", x, y, line.colour,
                         escaped(fmt::format("{}, {}: {:.4g} GFLOP/s", line.name, point.label, point.gflops))) +
             "\n";
  }
  return fmt::format(R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="{}"/>)", places, line.colour, line.width) + "\n" +
         marks;
}

std::string legend_of(const Line& line, double y) {
  return fmt::format(R"(<line x1="{0}" y1="{2}" x2="{1}" y2="{2}" stroke="{3}" stroke-width="{4}"/>)", left, left + 26, y, line.colour,
                     line.width) +
         text_at(left + 34, y + 4, "start", line.name);
}

}  // namespace

double axis_step(double largest, int count) {
  const double power = std::pow(10.0, std::floor(std::log10(largest / count)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power * count >= largest) return factor * power;
  }
  return 10.0 * power;
}

std::string line_chart(const std::string& title, std::vector<Line> lines) {
  const Axes axes = axes_of(lines);
  std::string svg = drawn(axes), legend;
  double y = bottom + 62;
  for (Line& line : lines) {
    std::stable_sort(line.points.begin(), line.points.end(), [](const Point& a, const Point& b) { return a.n < b.n; });
    svg += drawn(line, axes);
    legend += legend_of(line, y);
    y += legend_step;
  }
  return svg_document(static_cast<int>(y), title, svg + legend);
}

}  // namespace ab::cli
