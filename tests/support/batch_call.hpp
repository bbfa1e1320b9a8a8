// SPDX-License-Identifier: MIT
// Random batches of GEMM, made of products as level3_call.hpp draws them.
#pragma once
#include "support/level3_call.hpp"

namespace ab::test {

struct BatchCall {
  /// Products that differ in their matrices alone.
  struct Group {
    Level3Call call;  // its arguments and scalars are those of the group
    std::vector<Level3Call> products{};
    Index size = 0;  // as passed
  };
  const Routine* routine = nullptr;
  Layout layout = Layout::Columns;
  std::vector<Group> groups{};  // strided: one
  Index count = 0;              // of groups, as passed
};

/// Up to three groups of up to three products.
BatchCall draw_batch(const Routine& routine, Layout layout, Index most, const Draw& draw);

/// Calls the name that this program sees. False: there is no such function.
bool invoke(BatchCall& batch, Name name);

}  // namespace ab::test
