// SPDX-License-Identifier: MIT
#include "report/profile.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "core/version.hpp"
#include "report/json_text.hpp"

namespace ab::report {
namespace {

constexpr int profile_format = 1;
constexpr double ns_per_second = 1e9, ns_per_ms = 1e6;

template <class... Values>
void append(std::string& text, const char* format, Values... values) {
  char piece[512];
  const int length = std::snprintf(piece, sizeof piece, format, values...);
  if (length > 0) text.append(piece, std::min<std::size_t>(static_cast<std::size_t>(length), sizeof piece - 1));
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

std::string bin_title(std::size_t bin) {
  return bin < profile_bins.size() ? "<=" + std::to_string(profile_bins[bin]) : "more";
}

void append_routine(std::string& text, const ProfileLine& line) {
  append(text, "%-10s %9" PRIu64 " %10.3f %11.4f %10s", line.routine, line.calls, static_cast<double>(line.elapsed_ns) / ns_per_second,
         static_cast<double>(line.elapsed_ns) / ns_per_ms / static_cast<double>(line.calls),
         percent(line.device_calls, line.calls).c_str());
  for (const Index most : line.most) append(text, " %7" PRId64, most);
  for (const std::uint64_t sum : line.sum) append(text, " %7" PRIu64, sum / line.calls);
  text += "\n  max(m,n) ";
  for (std::size_t bin = 0; bin < bin_count; ++bin) append(text, " %9s", bin_title(bin).c_str());
  text += "\n  calls    ";
  for (const std::uint64_t calls : line.bin_calls) append(text, " %9" PRIu64, calls);
  text += "\n  time s   ";
  for (const std::uint64_t ns : line.bin_ns) append(text, " %9.3f", static_cast<double>(ns) / ns_per_second);
  text += '\n';
}

template <class Values>
void append_numbers(std::string& text, const Values& values) {
  text += '[';
  for (std::size_t i = 0; i < values.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(values[i]);
  text += ']';
}

void append_json(std::string& text, const ProfileLine& line) {
  std::array<std::uint64_t, 3> mean = line.sum;
  for (std::uint64_t& value : mean) value /= line.calls;
  Members routine(text);
  routine.add("name", line.routine);
  routine.add("calls", static_cast<std::int64_t>(line.calls));
  routine.add("total_ns", static_cast<std::int64_t>(line.elapsed_ns));
  routine.add("device_calls", static_cast<std::int64_t>(line.device_calls));
  append_numbers(routine.name("max"), line.most);
  append_numbers(routine.name("mean"), mean);
  append_numbers(routine.name("bins"), profile_bins);
  append_numbers(routine.name("bin_calls"), line.bin_calls);
  append_numbers(routine.name("bin_ns"), line.bin_ns);
  routine.close();
}

}  // namespace

std::size_t bin_of(Index m, Index n) {
  const auto bin = std::find_if(profile_bins.begin(), profile_bins.end(), [&](Index most) { return std::max(m, n) <= most; });
  return static_cast<std::size_t>(bin - profile_bins.begin());
}

std::string profile_text(const std::vector<ProfileLine>& lines, const std::string& program, long process_id) {
  if (lines.empty()) return "";
  std::string text = std::string("apple-bottom ") + version + " profile: " + program + ", pid " + std::to_string(process_id) + "\n";
  append(text, "%-10s %9s %10s %11s %10s %7s %7s %7s %7s %7s %7s\n", "routine", "calls", "time s", "mean ms", "on device", "max m", "n",
         "k", "mean m", "n", "k");
  for (const ProfileLine& line : lines) append_routine(text, line);
  return text;
}

std::string profile_json(const std::vector<ProfileLine>& lines, long process_id) {
  std::string text;
  Members profile(text);
  profile.add("format", profile_format);
  profile.add("version", version);
  profile.add("pid", process_id);
  std::string& routines = profile.name("routines") += '[';
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) routines += ',';
    append_json(routines, lines[i]);
  }
  routines += ']';
  profile.close();
  return text + "\n";
}

}  // namespace ab::report
