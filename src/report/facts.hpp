// SPDX-License-Identifier: MIT
// What reports and traces say about the process beside its calls: found out by a front door, which sees all layers.
#pragma once
#include <string>

#include "core/types.hpp"

namespace ab::report {

struct Facts {
  std::string host_blas;          // "libopenblas.so.0"; "" when none was found or looked for
  std::string host_blas_version;  // "OpenBLAS 0.3.21" or ""
  std::string device;             // "cuda:0"; "" when none was opened
  std::string device_name;        // "NVIDIA H200"
  std::string verdict;            // of its self-test: "passed", or "refused: ..."
  std::string table;              // "built-in, NVIDIA H200, 16 threads"; "" when none was read
  Index cap_bytes = -1;           // of the device memory that products hold; -1: none was opened
  Index peak_bytes = 0;           // of it, held at most
};

/// Names the function that reports ask for facts, at the first recorded call and at exit. It must not open a device.
void set_facts_source(Facts (*source)()) noexcept;

/// What the source says; empty without one, or when it fails.
Facts known_facts() noexcept;

}  // namespace ab::report
