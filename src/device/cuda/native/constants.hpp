// SPDX-License-Identifier: MIT
// Constants of the native kernels, which go with each launch (docs/cuda_kernels.md has the derivations).
#pragma once
#include "core/types.hpp"
#include "device/cuda/native/layout.hpp"

namespace ab::device::cuda::native {

/// The int8 family (docs/numerics.md 7.1).
extern const int moduli_list[most_moduli];

/// How sums of `terms` products of residues are reduced: the cheapest way that is exact for all of them.
Reduction choose_reduction(int m, Index terms);
ProductModulus product_modulus(int m, Index terms);

ResidueModulus residue_modulus(int m);

/// Weights of residues, M and the doubt, for the first `count` moduli. `products`: 1, or 3 for 3M.
void set_up_weights(ResultParams& p, int count, int products);

}  // namespace ab::device::cuda::native
