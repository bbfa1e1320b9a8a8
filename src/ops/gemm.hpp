// SPDX-License-Identifier: MIT
// Products on a device. The order of the steps is here; each step has its file.
#pragma once
#include <optional>

#include "core/problem.hpp"
#include "core/product.hpp"
#include "ops/context.hpp"
#include "ops/view.hpp"

namespace ab::ops {

struct Choices {
  Precision precision = Precision::Fp64;
  Method method = Method::Class;            // Vendor: the device's own FP64 GEMM, whatever the class, or a decline
  std::optional<ModuliFamily> family = {};  // none: the device's own; never changes a bit
  Index cap_bytes = -1;                     // workspace; -1: AB_STAGING_MB
  bool may_exceed_cap = false;              // resident products exceed the cap rather than fail
  bool private_result = false;              // C is a buffer of our own: it may be written before the whole product is known to succeed
  bool may_decline = false;                 // true: nonfinite, range, uncertified are declines (a host BLAS may serve the call);
                                            // false: such products take the IEEE path on the device
  double cpu_share = 0;                     // split: part of the columns that the cpu device takes (blas/device_attempt)
  bool host_pack = false;                   // of operands in host memory: every step but the multiplication on the CPU (spec 5.4)
  Context* multiplier = nullptr;            // where products of residues or pairs are made; null: where everything else is
};

/// C = alpha op(A) op(B) + beta C on the context's device, operands in device memory.
/// Shapes: see Product; C must not overlap A or B. Error: the bound of the class (docs/numerics.md), reported in Outcome.
/// Sizes: at most 2^31 - 1 rows and columns, 2^32 - 1 terms and about 2^37 entries, else declined (SizeLimit) whatever the choices.
/// Declines and failures are known before C is written. Throws Error (AllocFailed, KernelFailed) with C untouched.
Outcome multiply(Context& context, const Product& product, const Choices& choices);

/// The same with operands in host memory: stage (or use in place), multiply, fetch. Only `fetch` writes C.
template <Scalar T>
Outcome gemm(Context& context, const GemmProblem<T>& problem, const Choices& choices);

}  // namespace ab::ops
