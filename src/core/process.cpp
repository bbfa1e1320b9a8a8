// SPDX-License-Identifier: MIT
#include "core/process.hpp"

#include <pthread.h>

#include <atomic>

namespace ab {
namespace {

constinit std::mutex mutex;
constinit std::atomic<bool> forked{false};
constinit thread_local int handlers_before = 0;  // of this thread's fork that have run

void lock_once() {
  if (handlers_before++ == 0) mutex.lock();
}
void unlock_once() {
  if (handlers_before > 0 && --handlers_before == 0) mutex.unlock();
}

}  // namespace

std::mutex& process_mutex() {
  return mutex;
}

// Threads that come first at the same time may all register: no static with a guard, which a fork in another thread could leave locked in
// the child. So the handlers may run several times at one fork, and the first and last of them lock and unlock.
void watch_forks() {
  static constinit std::atomic<bool> watched{false};
  if (watched.load(std::memory_order_acquire)) return;
  pthread_atfork([] { lock_once(); }, [] { unlock_once(); },
                 [] {
                   forked.store(true, std::memory_order_relaxed);
                   unlock_once();
                 });
  watched.store(true, std::memory_order_release);
}

bool is_forked_child() {
  return forked.load(std::memory_order_relaxed);
}

}  // namespace ab
