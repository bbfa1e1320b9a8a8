// SPDX-License-Identifier: MIT
#include "capi/live_matrices.hpp"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <new>

#include "capi/matrix.hpp"
#include "core/process.hpp"

namespace ab::capi {

namespace {

constinit std::atomic<LiveMatrices*> published{nullptr};

}  // namespace

// Never freed. No static with a guard, which a fork in another thread could leave locked in the child: whoever is first publishes, and
// only when forks are watched.
LiveMatrices& live_matrices() {
  LiveMatrices* known = published.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto fresh = std::make_unique<LiveMatrices>();
  watch_forks();
  pthread_atfork(nullptr, nullptr, LiveMatrices::renew_locks_in_child);
  return published.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel) ? *fresh.release() : *known;
}

void LiveMatrices::add(ABMatrix_s& matrix) {
  const std::lock_guard lock(process_mutex());
  matrix.next = first_;
  if (first_) first_->previous = &matrix;
  first_ = &matrix;
}

void LiveMatrices::remove(ABMatrix_s& matrix) {
  const std::lock_guard lock(process_mutex());
  if (matrix.previous) matrix.previous->next = matrix.next;
  if (matrix.next) matrix.next->previous = matrix.previous;
  if (first_ == &matrix) first_ = matrix.next;
}

void LiveMatrices::release_all() {
  for (ABMatrix_s* matrix = first_; matrix; matrix = matrix->next) matrix->release();
}

std::shared_lock<std::shared_mutex> LiveMatrices::begin_operation() {
  const std::lock_guard entrance(entrance_);
  return std::shared_lock(running_);
}

LiveMatrices::Pause LiveMatrices::pause_operations() {
  std::unique_lock entrance(entrance_);
  return {std::move(entrance), std::unique_lock(running_)};
}

// Operations of other threads do not exist in the child, but what they hold would stay held for ever.
void LiveMatrices::renew_locks_in_child() {
  LiveMatrices* const known = published.load(std::memory_order_acquire);
  if (known == nullptr) return;
  LiveMatrices& matrices = *known;
  new (&matrices.entrance_) std::mutex;
  new (&matrices.running_) std::shared_mutex;
}

}  // namespace ab::capi
