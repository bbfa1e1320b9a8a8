// SPDX-License-Identifier: MIT
#include "ops/view.hpp"

namespace ab::ops {
namespace {

std::array<device::Slice, 2> parts_at(device::Slice at, int words) {
  device::Slice second = at;
  if (words == 2) second.offset += 8;
  return {at, second};
}

}  // namespace

VectorView left_operand(device::Slice at, int words, Op op, Index m, Index k, Index ld) {
  const bool plain = op == Op::None;
  VectorView view;
  view.parts = parts_at(at, words);
  view.part_count = words;
  view.vectors = m;
  view.inner = k;
  view.vector_stride = words * (plain ? 1 : ld);
  view.inner_stride = words * (plain ? ld : 1);
  view.conjugate = words == 2 && op == Op::ConjugateTranspose;
  return view;
}

VectorView right_operand(device::Slice at, int words, Op op, Index k, Index n, Index ld) {
  VectorView view = left_operand(at, words, op == Op::None ? Op::Transpose : Op::None, n, k, ld);
  view.conjugate = words == 2 && op == Op::ConjugateTranspose;
  return view;
}

ResultView result(device::Slice at, int words, Index m, Index n, Index ld) {
  ResultView view;
  view.parts = parts_at(at, words);
  view.part_count = words;
  view.rows = m;
  view.columns = n;
  view.row_stride = words;
  view.column_stride = words * ld;
  return view;
}

}  // namespace ab::ops
