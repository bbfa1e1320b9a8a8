// SPDX-License-Identifier: MIT
#include "core/process.hpp"

#include <pthread.h>

#include <atomic>

namespace ab {
namespace {

// libc++'s mutexes have destructors: they would be registered at load, and run while other handlers of exit() still use the mutex.
#if defined(__clang__)
#define AB_NEVER_DESTROYED [[clang::no_destroy]]
#else
#define AB_NEVER_DESTROYED
#endif

AB_NEVER_DESTROYED constinit std::mutex mutex;
constinit std::atomic<bool> forked{false};
constinit thread_local int handlers_before = 0;  // of this thread's fork that have run

void lock_once() {
  if (handlers_before++ == 0) mutex.lock();
}
void unlock_once() {
  if (handlers_before > 0 && --handlers_before == 0) mutex.unlock();
}

AB_NEVER_DESTROYED constinit std::mutex loading;
constinit thread_local int loads = 0;             // of this thread
constinit thread_local int loading_handlers = 0;  // as above

// A library that forks while it is loaded must not wait for itself.
void wait_for_loads() {
  if (loads == 0 && loading_handlers++ == 0) loading.lock();
}
void let_load() {
  if (loads == 0 && loading_handlers > 0 && --loading_handlers == 0) loading.unlock();
}

void watch_loads() {  // may register several times, as watch_forks
  static constinit std::atomic<bool> watched{false};
  if (watched.load(std::memory_order_acquire)) return;
  pthread_atfork(wait_for_loads, let_load, let_load);
  watched.store(true, std::memory_order_release);
}

}  // namespace

LoadingLibrary::LoadingLibrary() {
  watch_loads();
  if (loads == 0) loading.lock();
  ++loads;
}

LoadingLibrary::~LoadingLibrary() {
  if (--loads == 0) loading.unlock();
}

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
  watch_loads();
  watched.store(true, std::memory_order_release);
}

bool is_forked_child() {
  return forked.load(std::memory_order_relaxed);
}

}  // namespace ab
