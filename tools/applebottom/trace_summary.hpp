// SPDX-License-Identifier: MIT
// What traces say taken together: calls and time by routine, shape class, engine and reason.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trace_file.hpp"

namespace ab::cli {

/// A size and a form: tiny, small, medium or large by the cube root of m n k (up to 64, 256, 1024, more); square where no dimension is
/// more than four times another, long where k is four times the others, flat where it is a quarter of them, else thin.
std::string shape_class(const Shape& shape);

struct SummaryLine {
  std::string routine, shape, engine, method, reason;
  Index calls = 0;
  double seconds = 0, flops = 0;
  double m = 0, n = 0, k = 0;  // sums
};

struct Summary {
  std::vector<SummaryLine> lines;                             // most time first
  std::vector<std::pair<std::string, double>> stage_seconds;  // in the order of a product
  Index calls = 0;
  double seconds = 0;
};

Summary summarize(const std::vector<Trace>& traces);

/// A line a file, a table of at most `top` lines (0: all), the stages.
std::string text_of(const Summary& summary, const std::vector<Trace>& traces, std::size_t top);
nlohmann::ordered_json json_of(const Summary& summary, const std::vector<Trace>& traces, std::size_t top);

}  // namespace ab::cli
