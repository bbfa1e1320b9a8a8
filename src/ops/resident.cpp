// SPDX-License-Identifier: MIT
#include "ops/resident.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/thread_state.hpp"
#include "ops/gemm_steps.hpp"

namespace ab::ops {

namespace {

// The part of a column that exists.
struct Bytes {
  std::size_t first, count;
};
Bytes bytes_in(const HostColumns& all, std::size_t column) {
  const auto rows = static_cast<Index>(all.column_bytes / all.entry_bytes), diagonal = static_cast<Index>(column) + all.diagonal;
  const Index first = all.triangle == Triangle::Lower ? std::clamp<Index>(diagonal, 0, rows) : 0;
  const Index last = all.triangle == Triangle::Upper ? std::clamp<Index>(diagonal + 1, 0, rows) : rows;
  return {static_cast<std::size_t>(first) * all.entry_bytes, static_cast<std::size_t>(last - first) * all.entry_bytes};
}

}  // namespace

void write_columns(Context& context, const Lease& to, const HostColumns& from) {
  const std::size_t column = from.column_bytes;
  if (CallWatch* watch = thread_state().watch) watch->copied_in(static_cast<Index>(from.columns * column));
  if (column == from.stride_bytes && from.triangle == Triangle::Full) {
    return context.queue().write(to.memory(), 0, {from.data, from.columns * column});
  }
  for (std::size_t j = 0; j < from.columns; ++j) {
    const Bytes part = bytes_in(from, j);
    context.queue().write(to.memory(), j * column + part.first, {from.data + j * from.stride_bytes + part.first, part.count});
  }
}

void store_columns(const HostColumns& to, const std::byte* values) {
  for (std::size_t j = 0; j < to.columns && to.column_bytes > 0; ++j) {
    const Bytes part = bytes_in(to, j);
    if (part.count > 0) std::memcpy(to.data + j * to.stride_bytes + part.first, values + j * to.column_bytes + part.first, part.count);
  }
}

void read_columns(Context& context, const Lease& from, const HostColumns& to, const device::Queue::Mark* mark) {
  const std::size_t column = to.column_bytes, bytes = to.columns * column;
  if (CallWatch* watch = thread_state().watch) watch->copied_out(static_cast<Index>(bytes));
  if (column == to.stride_bytes && to.triangle == Triangle::Full) {
    return context.queue().read_after(mark, from.memory(), 0, {to.data, bytes});
  }
  if (bytes == 0) return;
  constexpr std::size_t piece_bytes = std::size_t{32} << 20;  // chosen: memory enough for the device to go on while columns are stored
  const std::size_t at_once = std::clamp<std::size_t>(piece_bytes / column, 1, to.columns);
  const auto values = std::make_unique_for_overwrite<std::byte[]>(at_once * column);
  for (std::size_t first = 0; first < to.columns; first += at_once) {
    HostColumns piece = to;
    piece.data += first * to.stride_bytes;
    piece.columns = std::min(at_once, to.columns - first);
    piece.diagonal += static_cast<Index>(first);
    context.queue().read_after(mark, from.memory(), first * column, {values.get(), piece.columns * column});
    store_columns(piece, values.get());
  }
}

HostColumns columns_of(const HostMatrix& matrix, Block rows, Block columns) {
  const std::size_t entry = static_cast<std::size_t>(matrix.words) * sizeof(double);
  const std::size_t stride = static_cast<std::size_t>(matrix.ld) * entry;
  return {matrix.data + static_cast<std::size_t>(columns.first) * stride + static_cast<std::size_t>(rows.first) * entry,
          static_cast<std::size_t>(rows.count) * entry,
          stride,
          static_cast<std::size_t>(columns.count),
          entry,
          matrix.triangle,
          columns.first - rows.first};
}

ResidentBlock make_resident(Context& context, const VectorView& view, Block vectors, Block terms) {
  ResidentBlock block{view, {}};
  block.view.vectors = vectors.count;
  block.view.inner = terms.count;
  if (view.host == nullptr) {
    const Index words = vectors.first * view.vector_stride + terms.first * view.inner_stride;
    for (Slice& part : block.view.parts) part.offset += static_cast<std::size_t>(words) * sizeof(double);
    return block;
  }
  const HostMatrix& host = *view.host;
  const auto& [rows, columns] = host.vectors_are_columns ? std::pair(terms, vectors) : std::pair(vectors, terms);
  const HostColumns from = columns_of(host, rows, columns);
  block.copied = context.lease(from.columns * from.column_bytes);
  write_columns(context, block.copied, from);
  for (Slice& part : block.view.parts) part.memory = &block.copied.memory();
  block.view.host = nullptr;
  block.view.vector_stride = host.words * (host.vectors_are_columns ? rows.count : 1);
  block.view.inner_stride = host.words * (host.vectors_are_columns ? 1 : rows.count);
  return block;
}

std::vector<Block> panels_of(const VectorView& view) {
  if (view.host == nullptr) return {{0, view.vectors}};
  const Index vector_bytes = view.inner * view.host->words * static_cast<Index>(sizeof(double));
  if (vector_bytes > view.host->panel_bytes) throw OverCap();
  return blocks_of(view.vectors, view.host->panel_bytes / vector_bytes);
}

}  // namespace ab::ops
