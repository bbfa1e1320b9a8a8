// SPDX-License-Identifier: MIT
#include "ops/triangular.hpp"

#include <limits>

#include "ops/elementwise.hpp"
#include "ops/gemm_steps.hpp"

namespace ab::ops {
namespace {

// B's copy that becomes X, packed: unknown i of right side j is word i * sides + j.
struct Work {
  Context& context;
  const TriangularSystem& system;
  Series series;
  Lease x;

  Index sides() const { return system.x.columns; }
};

ResultView packed(device::Slice at, Index rows, Index columns) {
  return {.parts = {at, at}, .part_count = 1, .rows = rows, .columns = columns, .row_stride = columns, .column_stride = 1};
}

ResultView unknowns(const Work& work, Block block) {
  return packed(work.x.slice(static_cast<std::size_t>(block.first * work.sides()) * 8), block.count, work.sides());
}

std::vector<double> read(Context& context, const ResultView& view) {
  const Lease copy = context.lease(static_cast<std::size_t>(view.rows * view.columns) * 8);
  transfer(context, view, packed(copy.slice(), view.rows, view.columns), Triangle::Full);
  return download<double>(context, copy, static_cast<std::size_t>(view.rows * view.columns));
}

// The one NaN of the library's own arithmetic: which one a host makes depends on its kind.
void make_nans_canonical(std::vector<double>& values) {
  for (double& value : values) {
    if (value != value) value = std::numeric_limits<double>::quiet_NaN();
  }
}

void solve_diagonal_block(Work& work, Block block) {
  const TriangularSystem& system = work.system;
  ResultView stored{.parts = {system.t, system.t}, .row_stride = system.row_stride, .column_stride = system.column_stride};
  const std::vector<double> t = read(work.context, block_of(stored, block, block));
  std::vector<double> x = read(work.context, unknowns(work, block));
  numerics::substitute(numerics::TriangularMatrix<double>{t.data(), block.count, block.count, system.triangle, system.diagonal},
                       numerics::RightSides<double>{x.data(), work.sides(), work.sides()});
  make_nans_canonical(x);
  const ResultView place = unknowns(work, block);
  work.context.queue().write(*place.parts[0].memory, place.parts[0].offset, std::as_bytes(std::span<const double>(x)));
}

// X of `open` loses its part that comes from the unknowns `known`.
void subtract_known(Work& work, Block open, Block known) {
  const TriangularSystem& system = work.system;
  const auto first = static_cast<std::size_t>(open.first * system.row_stride + known.first * system.column_stride) * 8;
  const ResultView solved = unknowns(work, known);
  Product product;
  product.left.parts = {device::Slice{system.t.memory, system.t.offset + first}, {}};
  product.left.vectors = open.count;
  product.left.inner = known.count;
  product.left.vector_stride = system.row_stride;
  product.left.inner_stride = system.column_stride;
  product.left.contents = {system.contents, 0};
  product.right.parts = solved.parts;
  product.right.vectors = work.sides();
  product.right.inner = known.count;
  product.right.vector_stride = 1;
  product.right.inner_stride = work.sides();
  product.c = unknowns(work, open);
  product.alpha = -1;
  product.beta = 1;
  work.series.multiply(product);
}

// The half that depends on no other is solved first. Halves are powers of two times the block size, so that most products are large.
void solve_block(Work& work, Block block) {
  if (block.count <= triangular_block) return solve_diagonal_block(work, block);
  Index half = triangular_block;
  while (2 * half < block.count) half *= 2;
  const Block upper{block.first, half}, lower{block.first + half, block.count - half};
  const bool forward = work.system.triangle == Triangle::Lower;
  const Block &known = forward ? upper : lower, &open = forward ? lower : upper;
  solve_block(work, known);
  subtract_known(work, open, known);
  solve_block(work, open);
}

}  // namespace

SeriesOutcome solve_triangular(Context& context, const TriangularSystem& system, Precision precision) {
  const ResultView& x = system.x;
  Work work{context, system, Series(context, precision), context.lease(static_cast<std::size_t>(x.rows * x.columns) * 8)};
  const Block all{0, x.rows};
  if (system.alpha == 0.0) {
    fill_zero(context, work.x.slice(), x.rows * x.columns);
  } else {
    transfer(context, x, unknowns(work, all), Triangle::Full);
    if (system.alpha != 1.0) {
      combine(context, Elementwise::Scale, work.x.slice(), work.x.slice(), work.x.slice(), x.rows * x.columns, system.alpha);
    }
    try {
      solve_block(work, all);
    } catch (const Series::Declined& declined) {
      return {declined.decline, {}};
    }
  }
  transfer(context, unknowns(work, all), x, Triangle::Full);
  return {std::nullopt, work.series.done()};
}

}  // namespace ab::ops
