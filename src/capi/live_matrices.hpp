// SPDX-License-Identifier: MIT
// The matrices that exist, so that ab_shutdown can free their device memory and leave empty handles behind.
#pragma once
#include <mutex>
#include <shared_mutex>

struct ABMatrix_s;

namespace ab::capi {

class LiveMatrices {
 public:
  void add(ABMatrix_s& matrix);
  void remove(ABMatrix_s& matrix);
  /// Frees the device memory of all matrices. The caller holds running() exclusively.
  void release_all();

  /// Shared by operations on matrices, exclusive in ab_shutdown.
  std::shared_mutex& running() { return running_; }

 private:
  friend LiveMatrices& live_matrices();
  static void before_fork();
  static void after_fork_in_parent();
  static void after_fork_in_child();

  std::shared_mutex running_;
  std::mutex list_;  // held for a few instructions only; never while waiting
  ABMatrix_s* first_ = nullptr;
};

/// The one instance, never destroyed: threads may still work while the process exits.
LiveMatrices& live_matrices();

}  // namespace ab::capi
