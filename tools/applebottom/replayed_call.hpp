// SPDX-License-Identifier: MIT
// A call of a trace made again: the same shapes, letters and scalars, other numbers.
#pragma once
#include <cstdint>
#include <string>

#include "trace_file.hpp"

namespace ab::cli {

/// Can the call be made again? "" or what is missing.
std::string why_not_replayed(const TracedCall& call);

struct Replayed {
  double seconds = 0;
  std::uint64_t checksum = 0;  // of C with what lies between its columns
};

/// Makes the call on the thread's current device in its class or in `precision`: through the BLAS ABI as it was made there, other products
/// on device buffers, other operations on handles, transfers not timed. A batch: its matrices one behind the other. The data depend on the
/// seed and the call's number alone; a C that is not read is full of NaN. Throws Failure(CheckFailed) when the call fails.
Replayed replay(const TracedCall& call, std::uint64_t seed, ABPrecision precision);

/// The class of a recorded call.
ABPrecision precision_of(const TracedCall& call);

}  // namespace ab::cli
