// SPDX-License-Identifier: MIT
#include "report/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace ab::report {

int create_output(const std::string& path, long process_id) noexcept {
  try {
    const std::string file = path + "." + std::to_string(process_id);
    const int low = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (low < 0 || low > STDERR_FILENO) return low;
    // A program that closed a standard stream must not find our file in its place.
    const int descriptor = ::fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(low);
    return descriptor;
  } catch (...) {
    errno = ENOMEM;
    return -1;
  }
}

namespace {

/// How much of the text was written before a failure (errno), or all of it.
std::size_t write_as_much(int descriptor, std::string_view text) noexcept {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(descriptor, text.data() + done, text.size() - done);
    if (written > 0) done += static_cast<std::size_t>(written);
    if (written == 0) errno = ENOSPC;
    if (written == 0 || (written < 0 && errno != EINTR)) break;
  }
  return done;
}

}  // namespace

bool write_whole(int descriptor, std::string_view text) noexcept {
  return write_as_much(descriptor, text) == text.size();
}

bool append_whole(int descriptor, std::string_view text) noexcept {
  const std::size_t done = write_as_much(descriptor, text);
  if (done == text.size()) return true;
  const int error = errno;
  struct stat status;
  const off_t end = ::lseek(descriptor, 0, SEEK_CUR);
  const bool nobody_after = end >= 0 && ::fstat(descriptor, &status) == 0 && status.st_size == end;
  const bool taken_back = done == 0 || (nobody_after && ::ftruncate(descriptor, end - static_cast<off_t>(done)) == 0);
  (void)taken_back;  // otherwise the last line stays incomplete: nothing more can be done
  errno = error;
  return false;
}

std::string program_name() {
#if defined(__linux__)
  return program_invocation_short_name;
#else
  return getprogname();
#endif
}

}  // namespace ab::report
