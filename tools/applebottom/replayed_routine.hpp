// SPDX-License-Identifier: MIT
// Calls of a trace that are no product of whole matrices made again: BLAS routines beyond GEMM through the BLAS ABI, operations on handles
// on handles.
#pragma once
#include "replayed_call.hpp"

namespace ab::cli {

std::string why_routine_is_not_replayed(const TracedCall& call);
/// The class is set.
Replayed replay_routine(const TracedCall& call, std::uint64_t seed);
/// Are its products `dgemm` or `zgemm` themselves?
bool is_gemm(const TracedCall& call);
std::uint64_t seed_of(const TracedCall& call, std::uint64_t seed);

}  // namespace ab::cli
