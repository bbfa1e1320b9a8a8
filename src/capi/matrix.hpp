// SPDX-License-Identifier: MIT
// What an ABMatrix points to.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apple_bottom.h"
#include "device/device.hpp"
#include "ops/context.hpp"

namespace ab::capi {
/// A number that no contents of any matrix has had.
std::uint64_t new_contents();
}  // namespace ab::capi

struct ABMatrix_s {                           // row-major FP64, rows * cols words
  std::shared_ptr<ab::ops::Context> context;  // where it was created; null after ab_shutdown
  std::unique_ptr<ab::device::Memory> memory;
  int rows = 0;
  int cols = 0;
  std::atomic<bool> has_contents{false};
  std::atomic<int> promises{0};  // submitted work that will write it
  std::atomic<int> holders{1};   // whoever created it, and work that is not finished
  bool is_contained = false;     // of a pool or session, which alone may destroy it
  std::atomic<std::uint64_t> contents{
      ab::capi::new_contents()};   // changes with every write: what is kept of former contents is never found again
  ABMatrix_s* previous = nullptr;  // of the live matrices
  ABMatrix_s* next = nullptr;

  ab::Index count() const { return ab::Index{rows} * cols; }
  ab::device::Slice slice() const { return {memory.get(), 0}; }
  /// After a write, or an attempt at one.
  void renew_contents();
  /// Gives the device memory back. What a forked child inherited of a GPU is left alone: the driver must not be called there.
  void release();
};

namespace ab::capi {

/// A new matrix without contents. Throws Error: InvalidArgument, AllocFailed. Within an operation, as the next three.
ABMatrix_s* create_matrix(const std::shared_ptr<ops::Context>& context, int rows, int cols);
/// The same without a shape: memory alone, under the name that error texts use.
ABMatrix_s* create_storage(const std::shared_ptr<ops::Context>& context, std::size_t bytes, const std::string& name);
/// The context that matrices are created in now. Throws Error: NoDevice before ab_init.
std::shared_ptr<ops::Context> context_for_creation();
/// One holder less; the last one releases the matrix.
void let_go(ABMatrix_s& matrix);

/// Keeps a matrix from being released while work is not finished.
class Hold {
 public:
  explicit Hold(ABMatrix_s& matrix) : matrix_(&matrix) { ++matrix.holders; }
  Hold(Hold&& other) noexcept : matrix_(std::exchange(other.matrix_, nullptr)) {}
  Hold(const Hold& other) : Hold(*other.matrix_) {}
  Hold& operator=(const Hold&) = delete;
  ~Hold() {
    if (matrix_) let_go(*matrix_);
  }

 private:
  ABMatrix_s* matrix_;
};

/// Declared before anything writes to matrices: whatever comes of it, their contents are new ones afterwards.
class Writing {
 public:
  explicit Writing(std::vector<ABMatrix_s*> written) : written_(std::move(written)) {}
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
  ~Writing() {
    for (ABMatrix_s* matrix : written_) matrix->renew_contents();
  }

 private:
  std::vector<ABMatrix_s*> written_;
};

}  // namespace ab::capi
