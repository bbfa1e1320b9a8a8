// SPDX-License-Identifier: MIT
// What each calling thread has for itself: one small struct, so that a call pays for one look-up of thread-local storage.
#pragma once
#include <optional>

#include "core/call_watch.hpp"
#include "core/product.hpp"

namespace ab {

struct ThreadState {
  std::optional<Precision> precision;  // ab_set_precision; none: the environment's
  int device = -1;                     // ab_select_device; -1: the process default
  bool inside_host_blas = false;       // set while the host BLAS runs: a call that re-enters us goes straight on
  bool last_path_was_gpu = false;      // ab_get_last_dispatch_path
  bool any_blas_call = false;
  CallWatch* watch = nullptr;  // of the call that runs, if it is recorded
  ProductReport last_product;
  char last_error[512] = "";
};

ThreadState& thread_state();

/// Keeps the text for ab_last_error (cut to the buffer).
void remember_error(const char* text);

/// The class in force for this thread: its own choice, else AB_PRECISION.
Precision thread_precision();

}  // namespace ab
