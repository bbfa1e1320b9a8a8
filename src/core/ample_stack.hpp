// SPDX-License-Identifier: MIT
// A driver's compiler needs more stack than some threads of a program have.
#pragma once
#include <functional>

namespace ab {

/// Runs the work on a stack of 8 MiB: in a thread of our own, with all signals blocked, which is gone when this returns. Where the system
/// gives no such thread the caller's stack has to do. What the work throws is thrown here. The thread has its own ThreadState, and
/// whatever a driver keeps for each thread.
void with_ample_stack(const std::function<void()>& work);

}  // namespace ab
