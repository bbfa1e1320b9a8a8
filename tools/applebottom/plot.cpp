// SPDX-License-Identifier: MIT
#include "plot.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ab::cli {
namespace {

constexpr int width = 900, left = 330, right = 90, row_height = 44, bar_height = 15, top = 56;  // chosen, in pixels
constexpr const char* host_colour = "#8a8f98";
constexpr const char* device_colour = "#2f6fb3";

std::string escaped(const std::string& text) {
  std::string safe;
  for (char c : text) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string bar(double gflops, double largest, int y, const char* colour) {
  const double length = gflops / largest * (width - left - right);
  return fmt::format(R"(<rect x="{}" y="{}" width="{:.1f}" height="{}" fill="{}"/><text x="{:.1f}" y="{}">{:.4g}</text>)", left, y, length,
                     bar_height, colour, left + length + 6, y + 12, gflops) +
         "\n";
}

std::string legend(int x, const char* colour, const std::string& text) {
  return fmt::format(R"(<rect x="{}" y="28" width="12" height="12" fill="{}"/><text x="{}" y="39">{}</text>)", x, colour, x + 18,
                     escaped(text)) +
         "\n";
}

}  // namespace

std::string svg_of(const std::vector<Measurement>& measurements) {
  double largest = 1e-300;
  std::string host_name;
  for (const Measurement& measured : measurements) {
    largest = std::max(largest, measured.device.gflops);
    if (!measured.host) continue;
    largest = std::max(largest, measured.host->gflops);
    host_name = measured.host->name;
  }
  const int height = top + row_height * static_cast<int>(measurements.size()) + 10;
  std::string svg =
      fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" font-family="sans-serif" font-size="12">)", width,
                  height) +
      "\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"10\" y=\"18\" font-size=\"14\">GFLOP/s</text>\n";
  if (!host_name.empty()) svg += legend(left, host_colour, host_name);
  svg += legend(left + 270, device_colour, "apple-bottom");
  int y = top;
  for (const Measurement& measured : measurements) {
    const std::string label = fmt::format("{} {} {} {}", word_of(measured.operation), text_of(measured.shape),
                                          ab::word_of(static_cast<Precision>(measured.precision)), measured.device_id);
    svg += fmt::format("<text x=\"10\" y=\"{}\">{}</text>\n", y + 20, escaped(label));
    if (measured.host) svg += bar(measured.host->gflops, largest, y, host_colour);
    svg += bar(measured.device.gflops, largest, y + bar_height + 2, device_colour);
    y += row_height;
  }
  return svg + "</svg>\n";
}

}  // namespace ab::cli
