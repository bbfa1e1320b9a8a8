// SPDX-License-Identifier: MIT
#include "support/batch_call.hpp"

namespace ab::test {

BatchCall draw_batch(const Routine& routine, Layout layout, Index most, const Draw& draw) {
  BatchCall batch{.routine = &routine, .layout = layout};
  batch.count = routine.family == Family::GemmBatchStrided ? 1 : draw(4);
  for (Index i = 0; i < batch.count; ++i) {
    BatchCall::Group group{.call = draw_call(gemm_like(routine), layout, most, draw), .size = draw(4)};
    for (Index j = 0; j < group.size; ++j) group.products.push_back(draw_like(group.call, draw));
    batch.groups.push_back(std::move(group));
  }
  return batch;
}

}  // namespace ab::test
