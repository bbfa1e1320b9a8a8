// SPDX-License-Identifier: MIT
#include "report/report_text.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

#include "core/version.hpp"

namespace ab::report {
namespace {

constexpr double ns_per_second = 1e9;

[[gnu::format(printf, 2, 3)]] void append(std::string& text, const char* format, ...) {
  char piece[512];
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  if (length > 0) text.append(piece, std::min<std::size_t>(static_cast<std::size_t>(length), sizeof piece - 1));
}

const char* yes_or_no(bool value) {
  return value ? "yes" : "no";
}

void append_header(std::string& text, const Totals& totals, const Settings& settings, const std::string& program, long process_id) {
  append(text, "apple-bottom %s report: %s, pid %ld, %" PRIu64 " calls, %.2f s in BLAS", version, program.c_str(), process_id, totals.calls,
         static_cast<double>(totals.elapsed_ns) / ns_per_second);
  if (settings.rank >= 0) append(text, ", rank %d", settings.rank);
  if (settings.local_rank >= 0) append(text, ", local rank %d of %d", settings.local_rank, settings.local_size);
  text += '\n';
}

void append_facts(std::string& text, const Facts& facts, const Settings& settings) {
  std::string host = facts.host_blas.empty() ? "none" : facts.host_blas;
  if (!facts.host_blas_version.empty()) host += " (" + facts.host_blas_version + ")";
  const std::string device = facts.device.empty() ? "none opened" : facts.device + " " + facts.device_name + ", self-test " + facts.verdict;
  const std::string table = facts.table.empty() ? "none" : facts.table;
  text += "host BLAS  " + host + "        device  " + device + "        table  " + table + "\n";
  const char* mode = settings.mode == Mode::Auto ? "auto" : settings.mode == Mode::Cpu ? "cpu" : "gpu";
  append(text, "mode %s  class %s  reproducible %s  split off  host pack %s  ", mode, word_of(settings.precision),
         yes_or_no(settings.reproducible), yes_or_no(settings.host_pack));
  if (settings.staging_mb >= 0) {
    append(text, "staging cap %" PRId64 " MB", settings.staging_mb);
  } else if (facts.cap_bytes >= 0) {
    append(text, "staging cap %" PRId64 " MB", facts.cap_bytes >> 20);
  } else {
    text += "staging cap default";
  }
  append(text, ", peak %" PRId64 " MB\n", (facts.peak_bytes + (1 << 20) - 1) >> 20);
}

void append_lines(std::string& text, const Totals& totals) {
  append(text, "%-8s %-7s %-8s %-18s %9s %10s %9s %8s %7s %7s\n", "routine", "engine", "method", "reason", "calls", "time s", "GFLOP/s",
         "mean m", "n", "k");
  for (const LedgerLine& line : totals.lines) {
    const double seconds = static_cast<double>(line.elapsed_ns) / ns_per_second;
    const std::uint64_t calls = std::max<std::uint64_t>(1, line.calls);
    append(text, "%-8s %-7s %-8s %-18s %9" PRIu64 " %10.2f %9.1f %8" PRIu64 " %7" PRIu64 " %7" PRIu64 "\n", line.routine,
           word_of(line.engine), word_of(line.method), word_of(line.reason), line.calls, seconds,
           seconds > 0 ? line.flops * 1e-9 / seconds : 0.0, line.m / calls, line.n / calls, line.k / calls);
  }
}

void append_stages(std::string& text, const Totals& totals) {
  text += "stages s  ";
  constexpr Stage shown_if_used[] = {Stage::Pack, Stage::Unpack, Stage::Host};
  for (std::size_t i = 0; i < totals.stage_ns.size(); ++i) {
    const auto stage = static_cast<Stage>(i);
    const bool always = std::find(std::begin(shown_if_used), std::end(shown_if_used), stage) == std::end(shown_if_used);
    if (always || totals.stage_ns[i] > 0) {
      append(text, " %s %.2f ", word_of(stage), static_cast<double>(totals.stage_ns[i]) / ns_per_second);
    }
  }
  text.back() = '\n';  // instead of a blank
}

void append_declines(std::string& text, const Totals& totals) {
  text += "declines  ";
  constexpr Reason always_shown[] = {Reason::Nonfinite, Reason::Range, Reason::Uncertified, Reason::MemoryCap, Reason::DeviceError};
  for (std::size_t i = static_cast<std::size_t>(Reason::Nonfinite); i < totals.declines.size(); ++i) {
    const auto reason = static_cast<Reason>(i);
    const bool shown = std::find(std::begin(always_shown), std::end(always_shown), reason) != std::end(always_shown);
    if (shown || totals.declines[i] > 0) append(text, " %s %" PRIu64 " ", word_of(reason), totals.declines[i]);
  }
  append(text, "       escalations %" PRIu64 "\n", totals.escalations);
}

bool has_calls(const Totals& totals, Reason reason) {
  return std::any_of(totals.lines.begin(), totals.lines.end(), [&](const LedgerLine& line) { return line.reason == reason; });
}

void append_hints(std::string& text, const Totals& totals) {
  const auto declines = [&](Reason reason) { return totals.declines[static_cast<std::size_t>(reason)]; };
  if (has_calls(totals, Reason::NoMeasurement)) {
    text += "hint  no_measurement: nothing was measured for such calls here; applebottom calibrate --install does it\n";
  }
  if (has_calls(totals, Reason::NoHostBlas)) text += "hint  no_host_blas: no other BLAS was found; AB_HOST_BLAS=FILE names one\n";
  if (declines(Reason::MemoryCap) > 0) text += "hint  memory_cap: products needed more device memory than AB_STAGING_MB allows\n";
}

constexpr const char* hint_of_no_calls =
    "hint  no BLAS call came through the dynamic symbols that this library exports. That happens when BLAS is linked statically, when the\n"
    "hint  LAPACK of the host library uses kernels of its own, or when a program (numpy wheels, for example) carries a BLAS under "
    "prefixed\n"
    "hint  names. It does not mean that the program multiplied no matrices.\n";

}  // namespace

std::string report_text(const Totals& totals, const Facts& facts, const Settings& settings, const std::string& program, long process_id) {
  std::string text;
  append_header(text, totals, settings, program, process_id);
  append_facts(text, facts, settings);
  append_lines(text, totals);
  append_stages(text, totals);
  append_declines(text, totals);
  append_hints(text, totals);
  if (totals.calls == 0) text += hint_of_no_calls;
  return text;
}

}  // namespace ab::report
