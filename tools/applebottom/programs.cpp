// SPDX-License-Identifier: MIT
#include "programs.hpp"

#include <fmt/core.h>

#include <fstream>
#include <sstream>

#include "preload.hpp"

namespace ab::cli {
namespace {

constexpr int limit_s = 240;  // chosen: many times what either program takes

// Largest error over 25 entries, in units of 2^-53 |a||b|, from exact rational sums.
constexpr const char* numpy_program = R"python(
import sys
try:
    import numpy
except ImportError:
    sys.exit(77)
from fractions import Fraction
n = 600
random = numpy.random.default_rng(1)
a, b = random.standard_normal((n, n)), random.standard_normal((n, n))
c = a @ b
worst = 0.0
for i, j in zip(random.integers(n, size=25), random.integers(n, size=25)):
    products = [Fraction(x) * Fraction(y) for x, y in zip(a[i], b[:, j])]
    error = abs(Fraction(c[i, j]) - sum(products))
    worst = max(worst, float(error / sum(abs(p) for p in products)) * 2.0**53)
print(f"numpy {numpy.__version__}: a @ b, {n} x {n}: largest error {worst:.2f} u|a||b| (allowed: {n})")
sys.exit(0 if worst <= n else 1)
)python";

std::string hpcc_input(int order) {
  return fmt::format(
      "HPLinpack benchmark input file\none process, one problem\nHPL.out file\n8 device out\n1 # of problem sizes\n{} Ns\n1 # of NBs\n"
      "80 NBs\n0 PMAP\n1 # of process grids\n1 Ps\n1 Qs\n16.0 threshold\n1 # of panel fact\n2 PFACTs\n"
      "1 # of recursive stopping criteria\n4 NBMINs\n1 # of panels\n2 NDIVs\n1 # of recursive fact\n1 RFACTs\n1 # of broadcast\n"
      "1 BCASTs\n1 # of lookahead depth\n1 DEPTHs\n2 SWAP\n64 swapping threshold\n0 L1\n0 U\n1 Equilibration\n8 alignment\n"
      "# separator\n0 additional sizes for PTRANS\n1200 sizes\n0 additional block sizes for PTRANS\n40 block sizes\n",
      order);
}

struct Started {
  ChildResult child;
  std::optional<ReportSummary> report;
};

Started start(const ChildCommand& plain, const std::string& device, const TemporaryFolder& folder) {
  ChildCommand command = plain;
  const std::string report = folder.path() + "/report";
  for (const auto& [name, value] : preload_environment(library_file())) command.environment[name] = value;
  command.environment["AB_MODE"] = "gpu";
  command.environment["AB_DEVICE"] = device;
  command.environment["AB_REPORT"] = report;
  command.folder = folder.path();
  command.output = Output::Capture;
  command.limit_s = limit_s;
  Started started{run_child(command), std::nullopt};
  started.report = read_report(report, started.child.pid);
  return started;
}

/// What went wrong whatever the program computes; "" when nothing did.
std::string fault_of(const Started& started) {
  if (started.child.timed_out) return fmt::format("no end after {} s", limit_s);
  if (!started.report) return "the library wrote no report";
  if (started.report->calls_on_device == 0) return "no BLAS call reached a device";
  if (started.child.status != 0) return fmt::format("exit status {}", started.child.status);
  return "";
}

void conclude(ProgramRun& run, const Started& started) {
  if (started.report) run.report = started.report->lines;
  if (run.fault.empty()) run.fault = fault_of(started);
  run.verdict = run.fault.empty() ? Verdict::Right : Verdict::Wrong;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const std::size_t start = text.rfind('\n', end);
  return text.substr(start == std::string::npos ? 0 : start + 1, end - (start == std::string::npos ? 0 : start + 1) + 1);
}

}  // namespace

ProgramRun run_numpy(const std::string& device) {
  ProgramRun run;
  run.name = "numpy";
  const std::string python = is_installed("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  if (!is_installed(python)) {
    run.own_check = "not run: no python3 here";
    return run;
  }
  const TemporaryFolder folder;
  ChildCommand command;
  command.arguments = {python, "-c", numpy_program};
  const Started started = start(command, device, folder);
  if (started.child.status == 77) {
    run.own_check = "not run: this Python has no numpy (Debian: python3-numpy)";
    return run;
  }
  run.own_check = last_line(started.child.output);
  conclude(run, started);
  return run;
}

ProgramRun run_hpl(const std::string& device) {
  constexpr int order = 600;
  ProgramRun run;
  run.name = "HPL";
  if (!is_installed("hpcc")) {
    run.own_check = "not run: no hpcc here (Debian: hpcc, openmpi-bin)";
    return run;
  }
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/hpccinf.txt") << hpcc_input(order);
  ChildCommand command;
  command.arguments = {"hpcc"};
  command.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
  const Started started = start(command, device, folder);
  std::ifstream output(folder.path() + "/hpccoutf.txt");
  std::string line;
  while (std::getline(output, line)) {
    if (line.rfind("||Ax-b||", 0) == 0) run.own_check = fmt::format("HPL, N = {}: {}", order, line);
  }
  if (run.own_check.find("PASSED") == std::string::npos) run.fault = "HPL's residual did not pass";
  conclude(run, started);
  return run;
}

}  // namespace ab::cli
