// SPDX-License-Identifier: MIT
// Starting a program and waiting for it.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace ab::cli {

using Environment = std::map<std::string, std::string>;  // variables to set on top of ours

enum class Output { Inherit, Capture };
struct ChildCommand {
  std::vector<std::string> arguments;  // the program first, looked up in PATH
  Environment environment;
  std::string folder;  // to run in; "" for ours
  Output output = Output::Inherit;
  int limit_s = 0;  // ended after that; 0: never
};

struct ChildResult {
  int status = 0;  // exit status; 128 + signal when ended by one; 126, 127 when it could not be started
  long pid = 0;
  bool timed_out = false;
  std::string output;  // stdout and stderr together, when captured
};
ChildResult run_child(const ChildCommand& command);

/// Becomes the program. Returns only when it cannot: 126 or 127, with a line on stderr.
int become(const ChildCommand& command);

/// A folder of its own under TMPDIR that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Whether PATH leads to an executable of this name.
bool is_installed(const std::string& program);

}  // namespace ab::cli
