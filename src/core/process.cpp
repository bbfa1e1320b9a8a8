// SPDX-License-Identifier: MIT
#include "core/process.hpp"

#include <pthread.h>

#include <atomic>

namespace ab {
namespace {

constinit std::mutex mutex;
constinit std::atomic<bool> forked{false};

}  // namespace

std::mutex& process_mutex() {
  return mutex;
}

void watch_forks() {
  static const int watched = pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); },
                                            [] {
                                              forked.store(true, std::memory_order_relaxed);
                                              mutex.unlock();
                                            });
  (void)watched;
}

bool is_forked_child() {
  return forked.load(std::memory_order_relaxed);
}

}  // namespace ab
