// SPDX-License-Identifier: MIT
#include "capi/guarded.hpp"

#include <cstdio>
#include <new>

#include "core/thread_state.hpp"

namespace ab::capi {
namespace {

ABStatus failed(const char* function, Status status, const char* text) {
  char line[sizeof(ThreadState::last_error)];  // no allocation: there may be no memory left
  std::snprintf(line, sizeof line, "%s: %s", function, text);
  remember_error(line);
  return static_cast<ABStatus>(status);
}

}  // namespace

ABStatus status_of_caught(const char* function) {
  try {
    throw;
  } catch (const Error& error) {
    return failed(function, error.status(), error.what());
  } catch (const std::bad_alloc&) {
    return failed(function, Status::AllocFailed, "no host memory");
  } catch (const std::exception& error) {
    return failed(function, Status::KernelFailed, error.what());
  }
}

void fail(Status status, const std::string& text) {
  throw Error(status, text);
}

void require_struct_size(std::size_t given, std::size_t smallest) {
  if (given >= smallest) return;
  fail(Status::InvalidArgument, "struct_size is " + std::to_string(given) + ", expected " + std::to_string(smallest));
}

}  // namespace ab::capi
