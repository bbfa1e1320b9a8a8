// SPDX-License-Identifier: MIT
#include "ops/triangular.hpp"

#include "core/host_arithmetic.hpp"
#include "numerics/substitution.hpp"
#include "ops/cap_share.hpp"
#include "ops/elementwise.hpp"
#include "ops/gemm_steps.hpp"

namespace ab::ops {
namespace {

struct Work {
  Context& context;
  const TriangularSystem& system;
  Series series;

  Index sides() const { return system.x.columns; }
};

ResultView unknowns(const Work& work, Block block) {
  return block_of(work.system.x, block, {0, work.sides()});
}

template <Scalar T>
std::vector<T> read(Context& context, const ResultView& view) {
  const auto count = static_cast<std::size_t>(view.rows * view.columns);
  const Lease copy = context.lease(count * sizeof(T));
  transfer(context, view, packed_unknowns<T>(copy.slice(), view.rows, view.columns), Triangle::Full);
  return download<T>(context, copy, count);
}

template <Scalar T>
void solve_diagonal_block(Work& work, Block block) {
  const TriangularSystem& system = work.system;
  ResultView stored{
      .parts = {system.t, system.t}, .part_count = words_of<T>, .row_stride = system.row_stride, .column_stride = system.column_stride};
  stored.parts[1].offset += words_of<T> == 2 ? 8 : 0;
  std::vector<T> t = read<T>(work.context, block_of(stored, block, block));
  if (system.conjugate) {
    for (T& entry : t) entry = conjugated(entry);
  }
  std::vector<T> x = read<T>(work.context, unknowns(work, block));
  numerics::substitute_fused(numerics::TriangularMatrix<T>{t.data(), block.count, block.count, system.triangle, system.diagonal},
                             numerics::RightSides<T>{x.data(), work.sides(), work.sides()});
  const ResultView place = unknowns(work, block);
  work.context.queue().write(*place.parts[0].memory, place.parts[0].offset, std::as_bytes(std::span<const T>(x)));
}

// X of `open` loses its part that comes from the unknowns `known`.
template <Scalar T>
void subtract_known(Work& work, Block open, Block known) {
  const TriangularSystem& system = work.system;
  const auto first = static_cast<std::size_t>(open.first * system.row_stride + known.first * system.column_stride) * 8;
  const ResultView solved = unknowns(work, known);
  Product product;
  product.left.parts = {device::Slice{system.t.memory, system.t.offset + first}, {}};
  product.left.part_count = words_of<T>;
  if (words_of<T> == 2) product.left.parts[1] = {system.t.memory, system.t.offset + first + 8};
  product.left.vectors = open.count;
  product.left.inner = known.count;
  product.left.vector_stride = system.row_stride;
  product.left.inner_stride = system.column_stride;
  product.left.conjugate = system.conjugate;
  product.left.contents = {system.contents, 0};
  product.right.parts = solved.parts;
  product.right.part_count = words_of<T>;
  product.right.vectors = work.sides();
  product.right.inner = known.count;
  product.right.vector_stride = solved.column_stride;
  product.right.inner_stride = solved.row_stride;
  product.c = unknowns(work, open);
  product.alpha = -1;
  product.beta = 1;
  work.series.multiply(product);
}

// The half that depends on no other is solved first. Halves are powers of two times the block size, so that most products are large.
template <Scalar T>
void solve_block(Work& work, Block block) {
  if (block.count <= triangular_block) return solve_diagonal_block<T>(work, block);
  Index half = triangular_block;
  while (2 * half < block.count) half *= 2;
  const bool forward = work.system.triangle == Triangle::Lower;
  const Index first_solved = forward ? block.first : block.first + block.count - half;
  const Block known{first_solved, half}, open{forward ? block.first + half : block.first, block.count - half};
  solve_block<T>(work, known);
  subtract_known<T>(work, open, known);
  solve_block<T>(work, open);
}

}  // namespace

template <Scalar T>
ResultView packed_unknowns(device::Slice at, Index unknowns, Index sides) {
  constexpr int words = words_of<T>;
  device::Slice second = at;
  if (words == 2) second.offset += 8;
  return {
      .parts = {at, second}, .part_count = words, .rows = unknowns, .columns = sides, .row_stride = words * sides, .column_stride = words};
}

template <Scalar T>
SeriesOutcome solve_in_place(Context& context, const TriangularSystem& system, const Choices& choices) {
  Work work{context, system, Series(context, choices)};
  try {
    solve_block<T>(work, {0, system.x.rows});
  } catch (const Series::Declined& declined) {
    return {declined.decline, {}};
  }
  return {std::nullopt, work.series.done()};
}

SeriesOutcome solve_triangular(Context& context, const TriangularSystem& system, Precision precision) {
  const ResultView& x = system.x;
  const Index count = x.rows * x.columns;
  const Choices choices = {.precision = precision, .may_exceed_cap = true, .private_result = true};
  const Need of_products = need_of(context, choices, {x.rows, x.columns, x.rows, 1});
  const CapShare share(context, choices, with_buffers(of_products, 16.0 * static_cast<double>(count)));
  const Lease copy = context.lease(static_cast<std::size_t>(count) * 8);
  TriangularSystem own = system;
  own.x = packed_unknowns<double>(copy.slice(), x.rows, x.columns);
  SeriesOutcome outcome;
  if (system.alpha == 0.0) {
    fill_zero(context, copy.slice(), count);
  } else {
    transfer(context, x, own.x, Triangle::Full);
    if (system.alpha != 1.0) combine(context, Elementwise::Scale, copy.slice(), copy.slice(), copy.slice(), count, system.alpha);
    outcome = solve_in_place<double>(context, own, share.within(choices));
    if (outcome.declined) return outcome;
  }
  transfer(context, own.x, x, Triangle::Full);
  return outcome;
}

template ResultView packed_unknowns<double>(device::Slice, Index, Index);
template ResultView packed_unknowns<Complex>(device::Slice, Index, Index);
template SeriesOutcome solve_in_place<double>(Context&, const TriangularSystem&, const Choices&);
template SeriesOutcome solve_in_place<Complex>(Context&, const TriangularSystem&, const Choices&);

}  // namespace ab::ops
