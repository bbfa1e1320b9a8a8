// SPDX-License-Identifier: MIT
// The host-pack path (spec 5.4): every step of a product but the multiplication runs on the CPU. For devices with slow conversion.
#pragma once
#include "core/problem.hpp"
#include "ops/gemm.hpp"

namespace ab::ops {

/// As `gemm`, with the same bits; products of residues or pairs are made on `device`.
template <Scalar T>
Outcome gemm_with_host_pack(Context& device, const GemmProblem<T>& problem, const Choices& choices);

}  // namespace ab::ops
