// SPDX-License-Identifier: MIT
#include "ops/rank_k.hpp"

#include <utility>

#include "ops/cap_share.hpp"
#include "ops/elementwise.hpp"
#include "ops/gemm_steps.hpp"

namespace ab::ops {
namespace {

ResultView transposed(const ResultView& view) {
  ResultView out = view;
  std::swap(out.rows, out.columns);
  std::swap(out.row_stride, out.column_stride);
  return out;
}

// Entries strictly below the diagonal: the lower triangle of what is left without first row and last column.
ResultView below_diagonal(const ResultView& view) {
  return block_of(view, {1, view.rows - 1}, {0, view.columns - 1});
}
ResultView right_of_diagonal(const ResultView& view) {
  return block_of(view, {0, view.rows - 1}, {1, view.columns - 1});
}

void mirror(Context& context, const ResultView& c) {
  if (c.rows < 2) return;
  const Index count = c.rows * c.columns;
  const Lease negated = context.lease(static_cast<std::size_t>(count) * 8);
  combine(context, Elementwise::Scale, c.parts[1], c.parts[1], negated.slice(), count, -1.0);
  ResultView conjugate = c;
  conjugate.parts[1] = negated.slice();
  transfer(context, transposed(right_of_diagonal(conjugate)), below_diagonal(c), Triangle::Lower);
}

}  // namespace

Outcome multiply_hermitian(Context& context, const Product& product, const Choices& choices) {
  const auto bytes = static_cast<std::size_t>(product.c.rows * product.c.columns) * 8;
  const CapShare share(context, choices, with_buffers(need_of(context, choices, extent_of(product)), 3.0 * static_cast<double>(bytes)));
  const Lease re = context.lease(bytes), im = context.lease(bytes);
  Product upper = product;
  upper.c.parts = {re.slice(), im.slice()};
  upper.c.row_stride = product.c.columns;
  upper.c.column_stride = 1;
  upper.triangle = Triangle::Upper;
  upper.hermitian = true;
  Choices chosen = share.within(choices);
  chosen.private_result = true;
  Outcome outcome = multiply(context, upper, chosen);
  if (outcome.declined) return outcome;
  mirror(context, upper.c);
  transfer(context, upper.c, product.c, Triangle::Full);
  return outcome;
}

}  // namespace ab::ops
