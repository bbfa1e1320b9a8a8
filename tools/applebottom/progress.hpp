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

  /// "[####......]  12 of 80  text"
  void bar(std::size_t done, std::size_t all, const std::string& text) const {
    constexpr std::size_t width = 30;
    const std::size_t filled = all > 0 ? done * width / all : 0;
    say(fmt::format("[{}{}] {} of {}  {}", std::string(filled, '#'), std::string(width - filled, '.'), done, all, text));
  }
  void say(const std::string& text) const {
    if (!shown_) return;
    fmt::print(stderr, "\r\033[K{}", text);
    std::fflush(stderr);
  }

 private:
  bool shown_;
};

}  // namespace ab::cli
