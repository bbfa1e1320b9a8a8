// SPDX-License-Identifier: MIT
// The ways to compute a workload that are timed against each other.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure.hpp"

namespace ab::cli {

class Contender {
 public:
  virtual ~Contender() = default;
  virtual void make_ready() {}  // before each run, not timed
  virtual void run() = 0;       // what is timed
  /// C of the last run, column-major.
  virtual std::vector<double> result() = 0;
};

/// The BLAS behind the library; null when none is found.
std::unique_ptr<Contender> host_contender(const Workload& workload);
std::optional<std::string> host_blas_name();
/// A BLAS library, which must outlive it.
std::unique_ptr<Contender> library_contender(const host_blas::Library& library, const Workload& workload);
/// The library on the thread's current device by way of no route; `cpu_share` > 0: shared with the cpu device.
std::unique_ptr<Contender> direct_contender(const Workload& workload, ABPrecision precision, double cpu_share);
/// The vendor's own FP64 GEMM on the thread's current device, by way of no route.
std::unique_ptr<Contender> vendor_contender(const Workload& workload);
/// Whether that device has one: its library is opened to see.
bool has_vendor_gemm();
/// The library on the thread's current device.
std::unique_ptr<Contender> device_contender(const Workload& workload, Front front);

}  // namespace ab::cli
