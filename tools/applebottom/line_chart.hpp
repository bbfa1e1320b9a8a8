// SPDX-License-Identifier: MIT
// Speeds over sizes as lines in SVG.
#pragma once
#include <string>
#include <vector>

namespace ab::cli {

struct Point {
  double n;  // cube root of m n k
  double gflops;
  std::string label;  // shown under the pointer
};

struct Line {
  std::string name;
  const char* colour;
  double width;  // in pixels
  std::vector<Point> points;
};

/// n on a logarithmic axis with powers of two, GFLOP/s from 0; points are joined in the order of n. The legend stands below.
std::string line_chart(const std::string& title, std::vector<Line> lines);

/// The least of 1, 2 and 5 times a power of ten that divides [0, largest] into at most `count` steps; largest > 0.
double axis_step(double largest, int count);

}  // namespace ab::cli
