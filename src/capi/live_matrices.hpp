// SPDX-License-Identifier: MIT
// The matrices that exist and the operations that run on them, so that ab_shutdown can wait, free and leave empty handles behind.
#pragma once
#include <mutex>
#include <shared_mutex>

struct ABMatrix_s;

namespace ab::capi {

class LiveMatrices {
 public:
  /// Both within an operation.
  void add(ABMatrix_s& matrix);
  void remove(ABMatrix_s& matrix);
  /// Frees the device memory of all matrices; within a pause.
  void release_all();

  /// Held by every operation on matrices.
  std::shared_lock<std::shared_mutex> begin_operation();
  struct Pause {
    std::unique_lock<std::mutex> entrance;
    std::unique_lock<std::shared_mutex> running;
  };
  /// Waits for the running operations; new ones wait until the pause ends.
  Pause pause_operations();

 private:
  friend LiveMatrices& live_matrices();
  static void renew_locks_in_child();

  std::mutex entrance_;  // new operations must not overtake a waiting pause for ever
  std::shared_mutex running_;
  ABMatrix_s* first_ = nullptr;  // under the process mutex, so that a forked child finds the list whole
};

/// The one instance, never destroyed: threads may still work while the process exits.
LiveMatrices& live_matrices();

}  // namespace ab::capi
