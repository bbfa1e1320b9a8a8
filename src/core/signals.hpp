// SPDX-License-Identifier: MIT
// Signals are the program's: threads of ours are made with all of them blocked, so that handlers run in threads of the program.
#pragma once
#include <pthread.h>
#include <signal.h>

namespace ab {

/// Blocked in this thread; as before at the end. A thread that is made meanwhile keeps them blocked.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace ab
