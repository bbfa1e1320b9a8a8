// SPDX-License-Identifier: MIT
// Blocks of operands in device memory: parts of what is there, or copies of what the host holds.
#pragma once
#include "ops/steps.hpp"

namespace ab::ops {

/// Columns of host memory, of `column_bytes` each and `stride_bytes` apart; of a triangle only its entries exist.
struct HostColumns {
  std::byte* data;
  std::size_t column_bytes, stride_bytes, columns;
  std::size_t entry_bytes;
  Triangle triangle = Triangle::Full;
  Index diagonal = 0;  // row of the matrix's diagonal in column 0
};
/// To device memory, close together there: in one piece where they are so on the host, else column by column, so that nothing between
/// them is touched.
void write_columns(Context& context, const Lease& to, const HostColumns& from);
/// Columns of the host from `values`, where they are close together.
void store_columns(const HostColumns& to, const std::byte* values);
/// From device memory, where they are close together, as what was asked for before the mark leaves them (null: all).
void read_columns(Context& context, const Lease& from, const HostColumns& to, const device::Queue::Mark* mark = nullptr);
/// Columns [first, first + count) of rows [first, first + count) of a host matrix.
HostColumns columns_of(const HostMatrix& matrix, Block rows, Block columns);

/// A block of an operand for as long as this lives.
struct ResidentBlock {
  VectorView view;
  Lease copied;  // nothing for what was there
};
ResidentBlock make_resident(Context& context, const VectorView& view, Block vectors, Block terms);

/// All vectors in pieces that go to the device at once when each is only read: one piece when they are there.
/// Throws OverCap (gemm_steps.hpp) when a single vector is more than a piece may be.
std::vector<Block> panels_of(const VectorView& view);

}  // namespace ab::ops
