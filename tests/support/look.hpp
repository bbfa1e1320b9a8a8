// SPDX-License-Identifier: MIT
// What the scan hands to the plan of src/numerics, made by the judge's scan instead of a device.
#pragma once
#include <vector>

#include "numerics/plan.hpp"
#include "support/reference_scan.hpp"

namespace ab::test {

/// Owns what a numerics::Look points to.
struct LookData {
  int parts = 1;
  std::vector<numerics::Record> left, right;
  std::vector<numerics::Profile> left_profiles, right_profiles;  // [group * parts + part]
  std::vector<Index> group_sizes;

  numerics::Look look() const { return {{left, left_profiles}, {right, right_profiles}, parts, group_sizes}; }
};

LookData first_look(const Vectors& left, const Vectors& right);
/// With the exponents and groups of `inner`, which comes from `plan_inner` and the first look's peaks.
LookData second_look(const Vectors& left, const Vectors& right, const numerics::Inner& inner);
/// max of ex - E per inner index over the vectors of one side, from the first look.
std::vector<std::int32_t> first_peaks(const Vectors& vectors);

}  // namespace ab::test
