// SPDX-License-Identifier: MIT
// Worker threads of the host: oneTBB's, started at the first work that is worth sharing, never before.
#pragma once
#include <functional>

#include "core/types.hpp"

namespace ab::device {

/// Calls body(first, last) for pieces of [0, count) on up to `threads` threads and returns when all are done. Everything runs in
/// the calling thread when threads is 1, the work is small, or the process is a child after fork (workers do not survive it).
/// An exception of a body is thrown again here. Bodies run in round-to-nearest, without flush-to-zero, traps masked.
void share(Index count, Index work, int threads, const std::function<void(Index first, Index last)>& body);

}  // namespace ab::device
