// SPDX-License-Identifier: MIT
// Cutting a product into blocks under a cap, and writing its result only when all of it is known to be right.
#include <algorithm>
#include <utility>

#include "ops/gemm_steps.hpp"
#include "ops/resident.hpp"

namespace ab::ops {
namespace {

double bytes_of(const Footprint& f, const Blocks& b) {
  const double m = static_cast<double>(b.rows), n = static_cast<double>(b.columns), k = static_cast<double>(rounded_up(b.inner, 64));
  return f.left_per_term * m * k + f.right_per_term * n * k + f.result_per_entry * m * n;
}

// Halves `size` (down to `least`, in multiples of it) until the blocks fit.
bool shrink(const Footprint& footprint, Blocks& blocks, Index Blocks::*size, std::pair<Index, double> least_and_cap) {
  const auto [least, cap] = least_and_cap;
  while (bytes_of(footprint, blocks) > cap && blocks.*size > least) blocks.*size = std::max(least, rounded_up(blocks.*size / 2, least));
  return bytes_of(footprint, blocks) <= cap;
}

}  // namespace

Cut cut_product(const Footprint& footprint, Blocks whole, std::uint64_t cap_bytes) {
  const double cap = static_cast<double>(cap_bytes);
  if (bytes_of(footprint, whole) <= cap) return {whole, true};
  Blocks blocks = whole;
  if (shrink(footprint, blocks, &Blocks::columns, {64, cap})) return {blocks, true};
  if (shrink(footprint, blocks, &Blocks::rows, {64, cap})) return {blocks, true};
  const bool fits = shrink(footprint, blocks, &Blocks::inner, {1024, cap});
  return {blocks, fits};
}

Cut with_terms_of(const device::Traits& traits, Cut cut) {
  if (traits.most_terms_at_once > 0) cut.blocks.inner = std::min(cut.blocks.inner, traits.most_terms_at_once);
  return cut;
}

Footprint with_copies(Footprint footprint, const Product& product) {
  const double entry = sizeof(double) * static_cast<double>(product.c.part_count);
  if (product.left.host != nullptr) footprint.left_per_term += entry;
  if (product.right.host != nullptr) footprint.right_per_term += entry;
  if (product.c.host != nullptr) footprint.result_per_entry += 2 * entry;  // one is computed while another is stored
  return footprint;
}

SafeResult::SafeResult(Context& context, const Product& product, Writing writing) : context_(context), product_(product), view_(product.c) {
  if (writing == Writing::Direct || view_.host != nullptr) return;
  for (int part = 0; part < view_.part_count; ++part) {
    copies_[static_cast<std::size_t>(part)] = context.lease(static_cast<std::size_t>(view_.rows * view_.columns) * sizeof(double));
    view_.parts[static_cast<std::size_t>(part)] = copies_[static_cast<std::size_t>(part)].slice();
  }
  view_.row_stride = 1;
  view_.column_stride = view_.rows;
  if (product.beta != Complex(0, 0)) transfer(context, product.c, view_, product.triangle);
}

ResultView SafeResult::block(Block rows, Block columns) {
  return view_.host != nullptr ? fetch(rows, columns) : block_of(view_, rows, columns);
}

ResultView SafeResult::fetch(Block rows, Block columns) {
  store(std::exchange(computed_, {}));
  computed_ = std::exchange(current_, {});
  if (computed_.lease) computed_.complete = context_.queue().mark();
  const HostColumns from = columns_of(*view_.host, rows, columns);
  current_ = {context_.lease(from.columns * from.column_bytes), rows, columns, nullptr};
  if (product_.beta != Complex(0, 0)) write_columns(context_, current_.lease, from);
  return result(current_.lease.slice(), view_.host->words, rows.count, columns.count, rows.count);
}

void SafeResult::store(Fetched block) {
  if (!block.lease) return;
  HostMatrix results = *view_.host;
  results.data = results.results;
  results.ld = results.results_ld;
  read_columns(context_, block.lease, columns_of(results, block.rows, block.columns), block.complete.get());
}

void SafeResult::commit() {
  store(std::exchange(computed_, {}));
  store(std::exchange(current_, {}));
  if (copies_[0]) transfer(context_, view_, product_.c, product_.triangle);
}

SafeResult::Writing writing_of(const Choices& choices, std::size_t blocks) {
  return choices.private_result || blocks == 1 ? SafeResult::Writing::Direct : SafeResult::Writing::AtTheEnd;
}

Lease moved(Context& from, Lease lease, Context& to) {
  if (&from == &to) return lease;
  const std::size_t bytes = lease.memory().bytes();
  const auto values = std::make_unique_for_overwrite<std::byte[]>(bytes);
  from.queue().read(lease.memory(), 0, {values.get(), bytes});
  Lease copy = to.lease(bytes);
  to.queue().write(copy.memory(), 0, {values.get(), bytes});
  return copy;
}

ResultView block_of(const ResultView& view, Block rows, Block columns) {
  ResultView out = view;
  for (Slice& part : out.parts)
    part.offset += static_cast<std::size_t>(rows.first * view.row_stride + columns.first * view.column_stride) * 8;
  out.rows = rows.count;
  out.columns = columns.count;
  return out;
}

}  // namespace ab::ops
