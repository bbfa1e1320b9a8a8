// SPDX-License-Identifier: MIT
// One product timed on a device beside the host BLAS and others, run by run in turn, and judged.
#pragma once
#include <optional>
#include <string>

#include "peers.hpp"
#include "samples.hpp"
#include "workload.hpp"

namespace ab::cli {

// Operands in host memory (ab_dgemm_blas), handles that stay on the device, or such handles written before each run: what a product
// keeps of its operands then counts.
enum class Front { Blas, Resident, Fresh };
enum class MatrixProbe { Off, On };  // the matrix unit's rate before and after each run

struct MeasureOptions {
  Front front = Front::Blas;
  int runs = 7;
  int warmup = 3;
  bool with_host = true;
  Entries entries = Entries::Sampled;
  std::vector<Peer> peers = {};
  MatrixProbe probe = MatrixProbe::Off;
  Method method = Method::Class;  // Vendor: operands in host memory, by the device's own FP64 GEMM
};

struct Side {        // of the comparison
  std::string name;  // "libopenblas.so.0 (OpenBLAS 0.3.21)", or the device's id
  double median_s = 0;
  double gflops = 0;
  double error_u = 0;  // largest |C - op(A) op(B)| / (2^-53 |A||B|)
  std::uint64_t checksum = 0;
  std::vector<Sample> samples = {};
};

struct Measurement {
  Operation operation = Operation::Dgemm;
  Ops ops = {};
  Shape shape = {};
  ABPrecision precision = AB_PRECISION_FP64;
  std::string device_id, device_name;
  MeasureOptions options;
  std::optional<Side> host;  // none: no host BLAS here, or not asked for
  std::vector<Side> peers;   // as in options.peers
  Side device;
  ABProduct product = {};  // of the device's last run

  std::string label() const { return label_of(operation, ops); }
  std::optional<double> ratio() const;     // host time / device time
  std::vector<const Side*> sides() const;  // the device first
  /// What is wrong: the class did not run on the device, its runs differ, or the error exceeds the certificate. "" when all is well.
  std::string fault;
};

/// Sets what the environment must say before the library reads it: every BLAS call that can goes to the device.
void route_everything_to_the_device();

/// Measures on the device, which becomes current. The precision stays set.
Measurement measure(const Workload& workload, int device, ABPrecision precision, const MeasureOptions& options);

std::string hex(std::uint64_t checksum);

}  // namespace ab::cli
