// SPDX-License-Identifier: MIT
// Steps that make a whole result with one launch: IEEE path, C = beta C, transfers.
#include "ops/gemm_steps.hpp"

namespace ab::ops {
namespace {

kernels::uint groups_of(const ResultView& c) {
  return static_cast<kernels::uint>(groups_for(c.rows, 64) * c.columns);
}
Slice second_part(const VectorView& view) {
  return whole(view.parts[view.part_count == 2 ? 1 : 0]);
}
Slice second_part(const ResultView& view) {
  return whole(view.parts[view.part_count == 2 ? 1 : 0]);
}

}  // namespace

void multiply_ieee(Context& context, const Product& product) {
  kernels::ieee_params p{};
  p.left = kernel_view(product.left);
  p.right = kernel_view(product.right);
  p.c = kernel_view(product.c, product.triangle);
  p.s = kernel_scalars(product);
  p.groups = groups_of(product.c);
  context.launch(Text::IeeeGemm, p.groups, product.c.rows * product.c.columns * product.left.inner * product.left.part_count,
                 {whole(product.left.parts[0]), second_part(product.left), whole(product.right.parts[0]), second_part(product.right),
                  whole(product.c.parts[0]), second_part(product.c), params(p)});
}

void scale_result(Context& context, const Product& product) {
  kernels::scale_params p{};
  p.c = kernel_view(product.c, product.triangle);
  p.s = kernel_scalars(product);
  p.groups = groups_of(product.c);
  context.launch(Text::ScaleResult, p.groups, product.c.rows * product.c.columns,
                 {whole(product.c.parts[0]), second_part(product.c), params(p)});
}

void transfer(Context& context, const ResultView& from, const ResultView& to, Triangle triangle) {
  kernels::transfer_params p{};
  p.from = kernel_view(from, triangle);
  p.to = kernel_view(to, triangle);
  p.groups = groups_of(from);
  context.launch(Text::TransferResult, p.groups, from.rows * from.columns,
                 {whole(from.parts[0]), second_part(from), whole(to.parts[0]), second_part(to), params(p)});
}

}  // namespace ab::ops
