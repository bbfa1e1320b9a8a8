// SPDX-License-Identifier: MIT
// The plan of a CRT product: the looks of the guard, with the scans they need (docs/numerics.md 8.5 to 8.7).
#pragma once
#include <optional>

#include "ops/prepared.hpp"

namespace ab::ops {

/// The scans of the first look.
Scans scan_both(Context& context, const Product& product, OperandForm form, const MeanwhileOfBoth& meanwhile = {});

struct Residues;  // of an operand (gemm_crt.cpp)

struct CrtPlan {
  numerics::Rung rung{};
  bool split = false;  // complex: four real products instead of 3M
  int look = 1;
  int escalations = 0;
  Scans scans;                                            // their records and the budget give the shifts
  Index first_right = 0;                                  // the product's right vectors begin with this one of the scan's
  std::vector<std::int32_t> inner_pairs;                  // (kappa, group) a term when any kappa is not 0, else empty
  std::shared_ptr<const Residues> left_made, right_made;  // of whole operands, asked for in advance; null: not
  int budget() const { return numerics::ladder[static_cast<std::size_t>(rung.index)]; }
};

/// What the plan of a class most often is, of operands whose scans are being made.
CrtPlan usual_plan(Precision precision, const Scans& scans);
/// Whether two plans ask for the same residues.
bool same_residues(const CrtPlan& a, const CrtPlan& b);

/// Decides once for the whole product, from all its vectors and nothing else. `scans` is the first look's. None: uncertified.
std::optional<CrtPlan> plan_crt(Context& context, const Product& product, Precision precision, const Scans& scans);

}  // namespace ab::ops
