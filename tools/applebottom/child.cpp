// SPDX-License-Identifier: MIT
#include "child.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "options.hpp"

extern "C" char** environ;

namespace ab::cli {
namespace {

/// Strings as exec wants them; they must outlive it.
class Pointers {
 public:
  explicit Pointers(std::vector<std::string> strings) : strings_(std::move(strings)) {
    for (std::string& string : strings_) pointers_.push_back(string.data());
    pointers_.push_back(nullptr);
  }
  char** data() { return pointers_.data(); }

 private:
  std::vector<std::string> strings_;
  std::vector<char*> pointers_;
};

std::vector<std::string> whole_environment(const Environment& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) {
    const std::string line = *entry;
    if (changes.count(line.substr(0, line.find('='))) == 0) all.push_back(line);
  }
  for (const auto& [name, value] : changes) all.push_back(name + "=" + value);
  return all;
}

/// Files that the name may mean, in the order of PATH: looked up before fork, where memory may be had.
std::vector<std::string> candidates(const std::string& program) {
  if (program.find('/') != std::string::npos) return {program};
  const char* path = std::getenv("PATH");
  std::vector<std::string> files;
  for (const std::string& folder : split(path ? path : "/usr/bin:/bin", ':'))
    files.push_back((folder.empty() ? "." : folder) + "/" + program);
  return files;
}

struct Prepared {
  Pointers arguments, environment, files;
  explicit Prepared(const ChildCommand& command)
      : arguments(command.arguments), environment(whole_environment(command.environment)), files(candidates(command.arguments[0])) {}

  /// The errno of the attempt that tells most. Only system calls: it runs between fork and exec.
  int execute() {
    int error = ENOENT;
    for (char** file = files.data(); *file; ++file) {
      execve(*file, arguments.data(), environment.data());
      if (errno != ENOENT && errno != ENOTDIR) error = errno;
    }
    return error;
  }
};

int status_of_exec_error(int error) {
  return error == ENOENT ? 127 : 126;
}

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) throw Failure(Exit::NotAvailable, "no pipe");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
};

using Clock = std::chrono::steady_clock;

int milliseconds_left(Clock::time_point deadline, int limit_s) {
  if (limit_s == 0) return -1;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left < 0 ? 0 : static_cast<int>(left);
}

/// Reads until the other end is closed; false when the time is over.
bool read_all(int descriptor, std::string& text, Clock::time_point deadline, int limit_s) {
  char piece[4096];
  for (;;) {
    pollfd waiting = {descriptor, POLLIN, 0};
    const int ready = poll(&waiting, 1, milliseconds_left(deadline, limit_s));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = read(descriptor, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(piece, static_cast<std::size_t>(got));
  }
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ChildResult run_child(const ChildCommand& command) {
  Prepared prepared(command);
  Pipe output, failure;
  const pid_t pid = fork();
  if (pid < 0) throw Failure(Exit::NotAvailable, "cannot start a process");
  if (pid == 0) {
    if (command.output == Output::Capture) {
      setpgid(0, 0);  // so that everything it starts can be ended with it
      dup2(output.ends[1], STDOUT_FILENO);
      dup2(output.ends[1], STDERR_FILENO);
    }
    int error = !command.folder.empty() && chdir(command.folder.c_str()) != 0 ? errno : prepared.execute();
    if (write(failure.ends[1], &error, sizeof error) < 0) _exit(125);
    _exit(status_of_exec_error(error));
  }
  output.close_end(1);
  failure.close_end(1);
  ChildResult result;
  result.pid = pid;
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(command.limit_s);
  if (command.output == Output::Capture) result.timed_out = !read_all(output.ends[0], result.output, deadline, command.limit_s);
  if (result.timed_out) kill(-pid, SIGKILL);
  result.status = wait_for(pid);
  int error = 0;
  if (read(failure.ends[0], &error, sizeof error) == sizeof error) {
    fmt::print(stderr, "applebottom: cannot run {}: {}\n", command.arguments[0], std::strerror(error));
  }
  return result;
}

int become(const ChildCommand& command) {
  const int error = Prepared(command).execute();
  fmt::print(stderr, "applebottom: cannot run {}: {}\n", command.arguments[0], std::strerror(error));
  return status_of_exec_error(error);
}

TemporaryFolder::TemporaryFolder() {
  path_ = (std::filesystem::temp_directory_path() / "applebottom.XXXXXX").string();
  if (!mkdtemp(path_.data())) throw Failure(Exit::NotAvailable, "cannot make a temporary folder");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool is_installed(const std::string& program) {
  for (const std::string& file : candidates(program)) {
    if (access(file.c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace ab::cli
