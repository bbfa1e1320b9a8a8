// SPDX-License-Identifier: MIT
// Operands and results on a device as strided views: transposition, row-major storage, and split or interleaved complex parts
// are all strides, so the steps of a product know none of them.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/types.hpp"
#include "device/device.hpp"

namespace ab::ops {

/// A column-major matrix in host memory that goes to the device block by block, when a step needs a block.
struct HostMatrix {
  std::byte* data;  // operands are only read
  Index ld;
  int words;                 // of an entry: 1, or 2 for complex
  bool vectors_are_columns;  // of an operand, as it is stored
  Index panel_bytes;         // most that a scan copies at once
  std::byte* results;        // of a result: where its blocks go
  Index results_ld;
  Triangle triangle = Triangle::Full;  // of a result: all of it that is read and written
};

/// The vectors of one operand: rows of op(A), or columns of op(B). Entry k of vector v in part p is the FP64 word number
/// v * vector_stride + k * inner_stride behind parts[p] (strides in words of 8 bytes).
struct VectorView {
  std::array<device::Slice, 2> parts;  // real, imaginary
  int part_count = 1;
  Index vectors = 0;
  Index inner = 0;  // K
  Index vector_stride = 1;
  Index inner_stride = 1;
  bool conjugate = false;  // complex views: the imaginary part counts with the opposite sign
  bool negate = false;     // real views: all entries count with the opposite sign
  /// Numbers of the contents of the parts' memory: equal numbers, equal words, for ever. 0: not known, nothing is kept of it.
  std::array<std::uint64_t, 2> contents{};
  const HostMatrix* host = nullptr;  // not null: blocks come from there; of `parts` only the place within an entry counts
};

/// Entry (i, j) of part p is word i * row_stride + j * column_stride behind parts[p].
struct ResultView {
  std::array<device::Slice, 2> parts;
  int part_count = 1;
  Index rows = 0;
  Index columns = 0;
  Index row_stride = 1;
  Index column_stride = 0;
  const HostMatrix* host = nullptr;  // not null: blocks come from there and, in the end, go there
};

/// C = alpha L R^T + beta C with the left vectors as rows of L and the right vectors as rows of R.
struct Product {
  VectorView left;
  VectorView right;
  ResultView c;
  Complex alpha{1, 0};
  Complex beta{0, 0};
  Triangle triangle = Triangle::Full;  // entries that are computed and written
  bool hermitian = false;              // real alpha and beta, the diagonal's imaginary part is stored as +0
};

/// A column-major matrix of leading dimension ld as left operand op(A) (m x k) or right operand op(B) (k x n).
/// `words` = 1 for real, 2 for interleaved complex storage. parts[1] of the result is parts[0] + 8 bytes then.
VectorView left_operand(device::Slice at, int words, Op op, Index m, Index k, Index ld);
VectorView right_operand(device::Slice at, int words, Op op, Index k, Index n, Index ld);
ResultView result(device::Slice at, int words, Index m, Index n, Index ld);

}  // namespace ab::ops
