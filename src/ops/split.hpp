// SPDX-License-Identifier: MIT
// One product shared by the `cpu` device and another one by columns of C (spec 5.5). It is decided for the whole product first how it is
// computed, so the split is invisible in the bits.
#pragma once
#include <optional>

#include "core/error.hpp"
#include "core/problem.hpp"
#include "ops/gemm.hpp"

namespace ab::ops {

struct SplitOutcome {
  Outcome outcome;
  std::optional<Decline> other_declined;  // the other device's part was then computed on the cpu device
  std::optional<Error> other_failed;      // the same
};

/// The cpu's columns of n for its share, between 0 and 1: at least one for each device, n >= 2.
Index columns_of_share(double share, Index columns);

/// As `gemm`, with the first `cpu_columns` columns of C computed on `cpu` and the others on `other` at the same time. What no class
/// serves (NaN, Inf, no certificate) is left to `other` alone. C is written when both parts are complete;
/// what the cpu device cannot do is a decline of all of it.
template <Scalar T>
SplitOutcome gemm_split(Context& cpu, Context& other, const GemmProblem<T>& problem, const Choices& choices, Index cpu_columns);

}  // namespace ab::ops
