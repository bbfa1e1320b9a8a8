// SPDX-License-Identifier: MIT
// The double-float product: pairs, inner products, unpacking (docs/numerics.md 10).
#include "ops/gemm_steps.hpp"
#include "ops/resident.hpp"
#include "ops/timed.hpp"

namespace ab::ops {
namespace {

struct DoubleFloat {
  Context& context;
  Context& multiplier;
  const Product& product;
  const DoubleFloatPlan& plan;
  Index form;    // products, and planes of results
  Index planes;  // of an operand: 1, 2 (4M) or 3 (3M)
  Pair shifts;   // of left and right vectors
};

struct Pairs {
  Lease planes;
  Index vectors;
  Index inner_padded;
};

const VectorView& operand_of(const DoubleFloat& dd, HandSide hand) {
  return hand == HandSide::Left ? dd.product.left : dd.product.right;
}

Pairs make_pairs(DoubleFloat& dd, HandSide hand, Block vectors, Block terms) {
  const VectorView& operand = operand_of(dd, hand);
  const Slice scales = hand == HandSide::Left ? dd.shifts.first() : dd.shifts.second();
  Pairs out{{}, vectors.count, rounded_up(terms.count, 64)};
  out.planes = dd.context.lease(static_cast<std::size_t>(dd.planes * out.vectors * out.inner_padded) * sizeof(kernels::pair32));
  const ResidentBlock resident = make_resident(dd.context, operand, vectors, terms);
  const VectorView& block = resident.view;
  kernels::pack_params p{};
  p.v = kernel_view(block);
  p.groups = static_cast<kernels::uint>(groups_for(vectors.count, 4) * (out.inner_padded / 16));
  p.first_shift = static_cast<kernels::uint>(vectors.first);
  p.all_vectors = static_cast<kernels::uint>(out.vectors);
  p.inner_padded = static_cast<kernels::uint>(out.inner_padded);
  p.third = dd.form == 3 ? 1u : 0u;
  dd.context.launch(Text::PackDd, p.groups, out.vectors * out.inner_padded * dd.planes * 16,
                    {whole(block.parts[0]), whole(block.parts[block.part_count == 2 ? 1 : 0]), scales, out.planes.slice(), params(p)});
  out.planes = moved(dd.context, std::move(out.planes), dd.multiplier);
  return out;
}

using SharedPairs = std::shared_ptr<const Pairs>;

// Pairs, kept or made. Those of a whole operand are worth keeping.
SharedPairs pack(DoubleFloat& dd, HandSide hand, Block vectors, Block terms) {
  const VectorView& operand = operand_of(dd, hand);
  const auto make = [&] {
    return timed(dd.context, Stage::Pack, [&] { return std::make_shared<const Pairs>(make_pairs(dd, hand, vectors, terms)); });
  };
  if (vectors.count < operand.vectors || terms.count < operand.inner) return make();
  PreparedKey key{.preparation = Preparation::Pairs, .operand = operand, .form = OperandForm::Whole, .count = static_cast<int>(dd.planes)};
  PreparedOperands& prepared = dd.context.prepared();
  if (auto kept = prepared.find(key)) return std::static_pointer_cast<const Pairs>(kept);
  auto made = make();
  prepared.keep(std::move(key), made, made->planes.memory().bytes());
  return made;
}

void multiply_pairs(DoubleFloat& dd, const Pairs& left, const Pairs& right, const Lease& out, Block terms) {
  kernels::dd_params p{};
  p.tile_rows = static_cast<kernels::uint>(groups_for(left.vectors, 64));
  p.tile_columns = static_cast<kernels::uint>(groups_for(right.vectors, 64));
  p.groups = p.tile_rows * p.tile_columns * static_cast<kernels::uint>(dd.form);
  p.rows = static_cast<kernels::uint>(left.vectors);
  p.columns = static_cast<kernels::uint>(right.vectors);
  p.inner_padded = static_cast<kernels::uint>(left.inner_padded);
  p.left_all = p.rows;
  p.right_all = p.columns;
  p.form = static_cast<kernels::uint>(dd.form);
  p.accumulate = terms.first > 0 ? 1u : 0u;
  dd.multiplier.launch(Text::GemmDd, p.groups, left.vectors * right.vectors * left.inner_padded * dd.form * 15,
                       {left.planes.slice(), right.planes.slice(), out.slice(), params(p)});
}

// `c` is the block's.
void unpack(DoubleFloat& dd, const Lease& products, const ResultView& c, Block rows, Block columns) {
  kernels::unpack_params p{};
  p.c = kernel_view(c, dd.product.triangle);
  p.c.row0 = static_cast<kernels::uint>(rows.first);
  p.c.column0 = static_cast<kernels::uint>(columns.first);
  p.s = kernel_scalars(dd.product);
  p.form = static_cast<kernels::uint>(dd.form);
  p.left_first = p.c.row0;
  p.right_first = p.c.column0;
  p.groups = static_cast<kernels::uint>(groups_for(rows.count, 64) * columns.count);
  dd.context.launch(
      Text::UnpackDd, p.groups, rows.count * columns.count * 64,
      {products.slice(), dd.shifts.first(), dd.shifts.second(), whole(c.parts[0]), whole(c.parts[c.part_count == 2 ? 1 : 0]), params(p)});
}

}  // namespace

void multiply_dd(Context& context, const Product& product, const DoubleFloatPlan& plan, const Choices& choices) {
  Context& multiplier = choices.multiplier != nullptr ? *choices.multiplier : context;
  const int form = plan.form;
  DoubleFloat dd{context, multiplier, product, plan, form, form == 1 ? 1 : form == 3 ? 3 : 2, {}};
  dd.shifts = upload(context, std::span<const std::int32_t>(plan.left_scales), std::span<const std::int32_t>(plan.right_scales));
  const Blocks all{product.left.vectors, product.right.vectors, product.left.inner};
  const double operand = 8.0 * static_cast<double>(dd.planes);
  const Footprint footprint = with_copies({operand, operand, 8.0 * form}, product);
  const Cut cut = with_terms_of(multiplier.device().traits(), cut_product(footprint, all, static_cast<std::uint64_t>(choices.cap_bytes)));
  if (!cut.fits && !choices.may_exceed_cap) throw OverCap();
  const std::vector<Block> row_blocks = blocks_of(all.rows, cut.blocks.rows), column_blocks = blocks_of(all.columns, cut.blocks.columns);
  const std::vector<Block> term_blocks = blocks_of(all.inner, cut.blocks.inner);
  SafeResult result(context, product, writing_of(choices, row_blocks.size() * column_blocks.size()));
  for (const Block& rows : row_blocks) {
    SharedPairs left;
    if (term_blocks.size() == 1) left = pack(dd, HandSide::Left, rows, term_blocks[0]);
    for (const Block& columns : column_blocks) {
      Lease products = multiplier.lease(static_cast<std::size_t>(form * rows.count * columns.count) * sizeof(kernels::pair32));
      for (const Block& terms : term_blocks) {  // in order: the pairs are carried on
        if (term_blocks.size() > 1) left = pack(dd, HandSide::Left, rows, terms);
        const SharedPairs right = pack(dd, HandSide::Right, columns, terms);
        timed(multiplier, Stage::Multiply, [&] { multiply_pairs(dd, *left, *right, products, terms); });
      }
      products = moved(multiplier, std::move(products), context);
      const ResultView block = result.block(rows, columns);
      timed(context, Stage::Unpack, [&] { unpack(dd, products, block, rows, columns); });
    }
  }
  result.commit();
}

}  // namespace ab::ops
