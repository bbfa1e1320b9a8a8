// SPDX-License-Identifier: MIT
#include "ops/resident.hpp"

#include <cstring>

#include "core/thread_state.hpp"
#include "ops/gemm_steps.hpp"

namespace ab::ops {

void write_columns(Context& context, const Lease& to, const HostColumns& from) {
  const auto [data, column, stride, columns] = from;
  if (CallWatch* watch = thread_state().watch) watch->copied_in(static_cast<Index>(columns * column));
  if (column == stride) return context.queue().write(to.memory(), 0, {data, columns * column});
  for (std::size_t j = 0; j < columns; ++j) context.queue().write(to.memory(), j * column, {data + j * stride, column});
}

void store_columns(const HostColumns& to, const std::byte* values) {
  for (std::size_t j = 0; j < to.columns && to.column_bytes > 0; ++j) {
    std::memcpy(to.data + j * to.stride_bytes, values + j * to.column_bytes, to.column_bytes);
  }
}

HostColumns columns_of(const HostMatrix& matrix, Block rows, Block columns) {
  const std::size_t entry = static_cast<std::size_t>(matrix.words) * sizeof(double);
  const std::size_t stride = static_cast<std::size_t>(matrix.ld) * entry;
  return {matrix.data + static_cast<std::size_t>(columns.first) * stride + static_cast<std::size_t>(rows.first) * entry,
          static_cast<std::size_t>(rows.count) * entry, stride, static_cast<std::size_t>(columns.count)};
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
