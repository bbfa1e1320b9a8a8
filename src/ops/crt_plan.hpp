// SPDX-License-Identifier: MIT
// The plan of a CRT product: the looks of the guard, with the scans they need (docs/numerics.md 8.5 to 8.7).
#pragma once
#include <optional>

#include "ops/prepared.hpp"

namespace ab::ops {

/// The scans of the first look.
Scans scan_both(Context& context, const Product& product, OperandForm form);

struct CrtPlan {
  numerics::Rung rung;
  bool split = false;  // complex: four real products instead of 3M
  int look = 1;
  int escalations = 0;
  std::vector<std::int32_t> left_shifts, right_shifts;  // sigma, tau of each vector (split: all real parts, then all imaginary)
  std::vector<std::int32_t> inner_pairs;                // (kappa, group) a term when any kappa is not 0, else empty
};

/// Decides once for the whole product, from all its vectors and nothing else. `scans` is the first look's. None: uncertified.
std::optional<CrtPlan> plan_crt(Context& context, const Product& product, Precision precision, const Scans& scans);

}  // namespace ab::ops
