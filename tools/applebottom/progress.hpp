// SPDX-License-Identifier: MIT
// One line on stderr that says what is going on; nothing unless stderr is a terminal.
#pragma once
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace ab::cli {

class Progress {
 public:
  Progress() : shown_(isatty(STDERR_FILENO) == 1) {}
  ~Progress() { say(""); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void say(const std::string& text) const {
    if (shown_) fmt::print(stderr, "\r\033[K{}", text);
  }

 private:
  bool shown_;
};

}  // namespace ab::cli
