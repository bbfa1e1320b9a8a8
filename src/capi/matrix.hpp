// SPDX-License-Identifier: MIT
// What an ABMatrix points to.
#pragma once
#include <memory>

#include "apple_bottom.h"
#include "device/device.hpp"
#include "ops/context.hpp"

struct ABMatrix_s {                           // row-major FP64, rows * cols words
  std::shared_ptr<ab::ops::Context> context;  // where it was created; null after ab_shutdown
  std::unique_ptr<ab::device::Memory> memory;
  int rows = 0;
  int cols = 0;
  bool has_contents = false;
  ABMatrix_s* previous = nullptr;  // of the live matrices
  ABMatrix_s* next = nullptr;

  ab::Index count() const { return ab::Index{rows} * cols; }
  ab::device::Slice slice() const { return {memory.get(), 0}; }
  /// Gives the device memory back. What a forked child inherited of a GPU is left alone: the driver must not be called there.
  void release();
};
