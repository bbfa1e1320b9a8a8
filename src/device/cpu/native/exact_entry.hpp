// SPDX-License-Identifier: MIT
// One entry of a result in integers: for the few that a native kernel's floating-point reconstruction cannot round for sure.
#pragma once
#include <cstdint>

#include "device/cpu/native/constants.hpp"

namespace ab::device::native {

/// RN64(x 2^-shift) for the integer x of the residues, one a modulus, multiplied by the units of `set` (docs/numerics.md 7.4, 6.3).
std::uint64_t exact_entry(const std::int32_t* residues, const Constants& set, int shift);

}  // namespace ab::device::native
