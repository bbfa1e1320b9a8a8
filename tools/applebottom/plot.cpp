// SPDX-License-Identifier: MIT
#include "plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "line_chart.hpp"
#include "svg.hpp"

namespace ab::cli {
namespace {

constexpr int left = 330, right = 90, bar_step = 17, bar_height = 15, row_gap = 10;  // chosen, in pixels
constexpr const char* host_colour = "#8a8f98";
constexpr const char* device_colours[] = {"#2f6fb3", "#10355e", "#58a9e8", "#6b4fb3"};
constexpr const char* peer_colours[] = {"#d9822b", "#3f9b57", "#a5478f", "#b8a21a"};

template <std::size_t count>
const char* nth(const char* const (&colours)[count], std::size_t index) {
  return colours[index % count];
}

std::string class_of(const Measurement& measured) {
  return ab::word_of(static_cast<Precision>(measured.precision));
}

std::string bar(double gflops, double largest, int y, const char* colour) {
  const double length = gflops / largest * (svg_width - left - right);
  return fmt::format(R"(<rect x="{}" y="{}" width="{:.1f}" height="{}" fill="{}"/><text x="{:.1f}" y="{}">{:.4g}</text>)", left, y, length,
                     bar_height, colour, left + length + 6, y + 12, gflops) +
         "\n";
}

std::string legend(int y, const char* colour, const std::string& text) {
  return fmt::format(R"(<rect x="{}" y="{}" width="12" height="12" fill="{}"/><text x="{}" y="{}">{}</text>)", left, y, colour, left + 18,
                     y + 11, escaped(text)) +
         "\n";
}

std::string bars_of(const Measurement& measured, double largest, int& y) {
  const std::string label = fmt::format("{} {} {} {}", measured.label(), text_of(measured.shape), class_of(measured), measured.device_id);
  std::string svg = fmt::format("<text x=\"10\" y=\"{}\">{}</text>\n", y + 12, escaped(label));
  const auto add = [&](const Side& side, const char* colour) {
    svg += bar(side.gflops, largest, y, colour);
    y += bar_step;
  };
  if (measured.host) add(*measured.host, host_colour);
  add(measured.device, device_colours[0]);
  for (std::size_t i = 0; i < measured.peers.size(); ++i) add(measured.peers[i], nth(peer_colours, i));
  y += row_gap;
  return svg;
}

std::string bar_chart(const std::vector<Measurement>& measurements) {
  double largest = 1e-300;
  for (const Measurement& measured : measurements) {
    for (const Side* side : measured.sides()) largest = std::max(largest, side->gflops);
  }
  std::string svg;
  int y = 28;
  const auto add = [&](const char* colour, const std::string& name) {
    svg += legend(y, colour, name);
    y += 18;
  };
  const Measurement& first = measurements[0];  // the others have the same contenders
  if (first.host) add(host_colour, "host BLAS " + first.host->name);
  add(device_colours[0], "apple-bottom");
  for (std::size_t i = 0; i < first.peers.size(); ++i) add(nth(peer_colours, i), first.peers[i].name);
  y += row_gap;
  for (const Measurement& measured : measurements) svg += bars_of(measured, largest, y);
  return svg_document(y, "GFLOP/s", svg);
}

double size_of(const Shape& shape) {
  return std::cbrt(static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k));
}

/// Lines in the order in which their contenders appear.
class Lines {
 public:
  void add(const std::string& name, const Shape& shape, double gflops) {
    if (values_.count(name) == 0) names_.push_back(name);
    Values& here = values_[name][text_of(shape)];
    here.n = size_of(shape);
    here.gflops.push_back(gflops);
  }

  template <std::size_t count>
  void append_to(std::vector<Line>& lines, const char* const (&colours)[count], double width) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      Line line{names_[i], nth(colours, i), width, {}};
      for (const auto& [label, values] : values_.at(names_[i])) line.points.push_back({values.n, median(values.gflops), label});
      lines.push_back(line);
    }
  }

 private:
  struct Values {
    double n = 0;
    std::vector<double> gflops;
  };
  std::vector<std::string> names_;
  std::map<std::string, std::map<std::string, Values>> values_;  // by contender and shape
};

std::string lines_over_size(const std::vector<Measurement>& measurements) {
  std::set<std::string> operations;
  for (const Measurement& measured : measurements) operations.insert(measured.label());
  Lines devices, hosts, peers;
  for (const Measurement& measured : measurements) {
    const std::string operation = operations.size() > 1 ? measured.label() + " " : "";
    devices.add(operation + "apple-bottom " + class_of(measured) + " on " + measured.device_id, measured.shape, measured.device.gflops);
    if (measured.host) hosts.add(operation + "host BLAS " + measured.host->name, measured.shape, measured.host->gflops);
    for (const Side& peer : measured.peers) peers.add(operation + peer.name, measured.shape, peer.gflops);
  }
  constexpr const char* host_colours[] = {host_colour, "#4a4e55"};
  std::vector<Line> lines;
  devices.append_to(lines, device_colours, 2.5);
  hosts.append_to(lines, host_colours, 1.5);
  peers.append_to(lines, peer_colours, 1.5);
  return line_chart(operations.size() > 1 ? "medians" : *operations.begin() + ", medians", lines);
}

}  // namespace

std::string svg_of(const std::vector<Measurement>& measurements) {
  std::set<std::string> shapes;
  for (const Measurement& measured : measurements) shapes.insert(text_of(measured.shape));
  return shapes.size() > 1 ? lines_over_size(measurements) : bar_chart(measurements);
}

}  // namespace ab::cli
