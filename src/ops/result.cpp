// SPDX-License-Identifier: MIT
// Steps that make a whole result with one launch: IEEE path, C = beta C, transfers.
#include "ops/gemm_steps.hpp"
#include "ops/resident.hpp"

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

namespace {

// `product` with views of the block.
void launch_ieee(Context& context, const Product& product, Block rows, Block columns) {
  kernels::ieee_params p{};
  p.left = kernel_view(product.left);
  p.right = kernel_view(product.right);
  p.c = kernel_view(product.c, product.triangle);
  p.c.row0 = static_cast<kernels::uint>(rows.first);
  p.c.column0 = static_cast<kernels::uint>(columns.first);
  p.s = kernel_scalars(product);
  p.groups = groups_of(product.c);
  context.launch(Text::IeeeGemm, p.groups, product.c.rows * product.c.columns * product.left.inner * product.left.part_count,
                 {whole(product.left.parts[0]), second_part(product.left), whole(product.right.parts[0]), second_part(product.right),
                  whole(product.c.parts[0]), second_part(product.c), params(p)});
}

}  // namespace

void multiply_ieee(Context& context, const Product& product, const Choices& choices) {
  multiply_in_blocks(context, product, choices,
                     [&](const Product& block, Block rows, Block columns) { launch_ieee(context, block, rows, columns); });
}

// Sums run over all terms in order, so blocks are of rows and columns only; where nothing is fetched there is one.
void multiply_in_blocks(Context& context, const Product& product, const Choices& choices, const LaunchBlock& launch) {
  const Blocks all{product.left.vectors, product.right.vectors, product.left.inner};
  const Cut cut = cut_product(with_copies({}, product), all, static_cast<std::uint64_t>(choices.cap_bytes));
  if ((!cut.fits || cut.blocks.inner < all.inner) && !choices.may_exceed_cap) throw OverCap();
  const std::vector<Block> row_blocks = blocks_of(all.rows, cut.blocks.rows), column_blocks = blocks_of(all.columns, cut.blocks.columns);
  SafeResult result(context, product, SafeResult::Writing::Direct);
  for (const Block& rows : row_blocks) {
    const ResidentBlock left = make_resident(context, product.left, rows, {0, all.inner});
    for (const Block& columns : column_blocks) {
      const ResidentBlock right = make_resident(context, product.right, columns, {0, all.inner});
      Product block = product;
      block.left = left.view;
      block.right = right.view;
      block.c = result.block(rows, columns);
      launch(block, rows, columns);
    }
  }
  result.commit();
}

void scale_result(Context& context, const Product& product, const Choices& choices) {
  const Footprint copies{0, 0, with_copies({}, product).result_per_entry};
  const Blocks all{product.c.rows, product.c.columns, 1};
  const Cut cut = cut_product(copies, all, static_cast<std::uint64_t>(choices.cap_bytes));
  if (!cut.fits && !choices.may_exceed_cap) throw OverCap();
  SafeResult result(context, product, SafeResult::Writing::Direct);
  for (const Block& rows : blocks_of(all.rows, cut.blocks.rows)) {
    for (const Block& columns : blocks_of(all.columns, cut.blocks.columns)) {
      const ResultView block = result.block(rows, columns);
      kernels::scale_params p{};
      p.c = kernel_view(block, product.triangle);
      p.c.row0 = static_cast<kernels::uint>(rows.first);
      p.c.column0 = static_cast<kernels::uint>(columns.first);
      p.s = kernel_scalars(product);
      p.groups = groups_of(block);
      context.launch(Text::ScaleResult, p.groups, block.rows * block.columns, {whole(block.parts[0]), second_part(block), params(p)});
    }
  }
  result.commit();
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
