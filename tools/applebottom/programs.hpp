// SPDX-License-Identifier: MIT
// Real programs, unmodified, with the library in front of their BLAS: what the demo ends with.
#pragma once
#include <string>
#include <vector>

namespace ab::cli {

enum class Verdict { Right, Wrong, Absent };
struct ProgramRun {
  std::string name;  // "numpy"
  Verdict verdict = Verdict::Absent;
  std::string own_check;            // what the program says of its result; why it was not run when absent
  std::vector<std::string> report;  // the lines of our report: which calls it made, and where they ran
  std::string fault;                // "" unless wrong
};

/// numpy's a @ b in Debian's Python, checked there in rational arithmetic.
ProgramRun run_numpy(const std::string& device);
/// HPL of HPC Challenge: a dense solve and its residual.
ProgramRun run_hpl(const std::string& device);

}  // namespace ab::cli
