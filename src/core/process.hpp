// SPDX-License-Identifier: MIT
// What concerns the whole process: one lock for the library's shared state, and whether we live in a forked child.
#pragma once
#include <mutex>

namespace ab {

/// Guards the library's own shared state (devices, contexts, kept buffers), always for a short time. From the first call of
/// `watch_forks` on it is taken around fork, so that no child inherits it locked.
std::mutex& process_mutex();

/// Called before anything is kept that a child must know of. Idempotent, thread-safe.
void watch_forks();

/// Alive while a shared library is loaded and first used: another thread's fork waits, since a child would find the library loaded but
/// not initialised, for ever. One thread at a time; of the same thread several may live.
class LoadingLibrary {
 public:
  LoadingLibrary();
  ~LoadingLibrary();
  LoadingLibrary(const LoadingLibrary&) = delete;
  LoadingLibrary& operator=(const LoadingLibrary&) = delete;
};

/// True in a child (and its children) of a process that had called watch_forks.
bool is_forked_child();

}  // namespace ab
