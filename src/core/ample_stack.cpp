// SPDX-License-Identifier: MIT
#include "core/ample_stack.hpp"

#include <pthread.h>

#include <exception>

#include "core/signals.hpp"

namespace ab {
namespace {

constexpr std::size_t stack_bytes = std::size_t{8} << 20;  // chosen: what main threads have; reserved, not touched

thread_local bool is_ample = false;  // we made this thread

struct Task {
  const std::function<void()>& work;
  std::exception_ptr thrown;
};

void* run(void* argument) {
  Task& task = *static_cast<Task*>(argument);
  is_ample = true;
  try {
    task.work();
  } catch (...) {
    task.thrown = std::current_exception();
  }
  return nullptr;
}

bool start(pthread_t& thread, Task& task) {
  const AllSignalsBlocked blocked;  // handlers run in the program's threads
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  const bool started = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 && pthread_create(&thread, &attributes, run, &task) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace

void with_ample_stack(const std::function<void()>& work) {
  pthread_t thread;
  Task task{work, nullptr};
  if (is_ample || !start(thread, task)) return work();
  pthread_join(thread, nullptr);
  if (task.thrown) std::rethrow_exception(task.thrown);
}

}  // namespace ab
