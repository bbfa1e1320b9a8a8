// SPDX-License-Identifier: MIT
// Runs a disabled test of this very program in a process of its own, with variables that settings() then reads: what the environment
// asks for is fixed for a process, so every setting needs one.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ab::test {

using Variables = std::vector<std::pair<std::string, std::string>>;

struct Ended {
  int exit_status = -1;  // -1: killed; -2: there is no such test
  pid_t process_id = 0;
  std::string errors;  // what it wrote to standard error
};

inline std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return std::move(text).str();
}

/// A folder that goes away with its owner.
class Folder {
 public:
  Folder() {
    char pattern[] = "/tmp/ab_test_XXXXXX";
    path_ = mkdtemp(pattern);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path());
    return names;
  }

 private:
  std::string path_;
};

/// `test` is "Suite.DISABLED_Name". It ends like any program: through exit().
inline Ended run_self(const std::string& test, const Variables& variables) {
  const Folder folder;
  const std::string errors = folder.path() + "/errors";
  const std::string output = folder.path() + "/output";
  const std::string filter = "--gtest_filter=" + test;
  Ended ended;
  ended.process_id = fork();
  if (ended.process_id == 0) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    alarm(60);
    dup2(open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    dup2(open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    execl("/proc/self/exe", "test", filter.c_str(), "--gtest_also_run_disabled_tests", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(ended.process_id, &status, 0);
  if (WIFEXITED(status)) ended.exit_status = WEXITSTATUS(status);
  if (text_of(output).find("[ RUN      ]") == std::string::npos) ended.exit_status = -2;
  ended.errors = text_of(errors);
  return ended;
}

}  // namespace ab::test
