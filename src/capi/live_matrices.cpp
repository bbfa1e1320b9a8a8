// SPDX-License-Identifier: MIT
#include "capi/live_matrices.hpp"

#include <pthread.h>

#include <new>

#include "capi/matrix.hpp"

namespace ab::capi {

LiveMatrices& live_matrices() {
  static LiveMatrices* const instance = [] {
    auto* made = new LiveMatrices;
    pthread_atfork(LiveMatrices::before_fork, LiveMatrices::after_fork_in_parent, LiveMatrices::after_fork_in_child);
    return made;
  }();
  return *instance;
}

void LiveMatrices::add(ABMatrix_s& matrix) {
  const std::lock_guard lock(list_);
  matrix.next = first_;
  if (first_) first_->previous = &matrix;
  first_ = &matrix;
}

void LiveMatrices::remove(ABMatrix_s& matrix) {
  const std::lock_guard lock(list_);
  if (matrix.previous) matrix.previous->next = matrix.next;
  if (matrix.next) matrix.next->previous = matrix.previous;
  if (first_ == &matrix) first_ = matrix.next;
}

void LiveMatrices::release_all() {
  const std::lock_guard lock(list_);
  for (ABMatrix_s* matrix = first_; matrix; matrix = matrix->next) matrix->release();
}

// The list is whole in the child because the forking thread holds its lock. Operations of other threads do not exist there, but
// their shares of running_ would stay for ever: it starts anew.
void LiveMatrices::before_fork() {
  live_matrices().list_.lock();
}
void LiveMatrices::after_fork_in_parent() {
  live_matrices().list_.unlock();
}
void LiveMatrices::after_fork_in_child() {
  LiveMatrices& matrices = live_matrices();
  matrices.list_.unlock();
  new (&matrices.running_) std::shared_mutex;
}

}  // namespace ab::capi
