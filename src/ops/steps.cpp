// SPDX-License-Identifier: MIT
#include "ops/steps.hpp"

#include <algorithm>

#include "ops/resident.hpp"

namespace ab::ops {

Slice whole(const Slice& slice) {
  return {slice.memory, 0};
}

kernels::vector_view kernel_view(const VectorView& view) {
  kernels::vector_view out{};
  out.offset_re = view.parts[0].offset / 8;
  out.offset_im = view.parts[view.part_count == 2 ? 1 : 0].offset / 8;
  out.vector_stride = view.vector_stride;
  out.inner_stride = view.inner_stride;
  out.vectors = static_cast<kernels::uint>(view.vectors);
  out.inner = static_cast<kernels::uint>(view.inner);
  out.parts = static_cast<kernels::uint>(view.part_count);
  out.negated = (view.part_count == 2 && view.conjugate ? 2u : 0u) | (view.part_count == 1 && view.negate ? 1u : 0u);
  return out;
}

kernels::result_view kernel_view(const ResultView& view, Triangle triangle) {
  kernels::result_view out{};
  out.offset_re = view.parts[0].offset / 8;
  out.offset_im = view.parts[view.part_count == 2 ? 1 : 0].offset / 8;
  out.row_stride = view.row_stride;
  out.column_stride = view.column_stride;
  out.rows = static_cast<kernels::uint>(view.rows);
  out.columns = static_cast<kernels::uint>(view.columns);
  out.parts = static_cast<kernels::uint>(view.part_count);
  out.triangle = static_cast<kernels::uint>(triangle);
  return out;
}

kernels::scalars kernel_scalars(const Product& product) {
  kernels::scalars out{};
  out.alpha_re = __builtin_bit_cast(kernels::ulong, product.alpha.real());
  out.alpha_im = __builtin_bit_cast(kernels::ulong, product.alpha.imag());
  out.beta_re = __builtin_bit_cast(kernels::ulong, product.beta.real());
  out.beta_im = __builtin_bit_cast(kernels::ulong, product.beta.imag());
  out.hermitian = product.hermitian ? 1u : 0u;
  return out;
}

VectorView part_of(const VectorView& view, int part) {
  VectorView out = view;
  out.parts[0] = view.parts[static_cast<std::size_t>(part)];
  out.part_count = 1;
  out.contents = {view.contents[static_cast<std::size_t>(part)], 0};
  out.conjugate = false;
  out.negate = part == 1 && view.conjugate;
  return out;
}

Scan launch_scan(Context& context, std::span<const VectorView> views, const InnerOnDevice& inner, HandSide hand) {
  Index vectors = 0;
  for (const VectorView& view : views) vectors += view.vectors;
  const Index parts = views[0].part_count;
  const Index group_count = inner.inner ? static_cast<Index>(inner.inner->group_sizes.size()) : 1;
  const auto rows = static_cast<std::size_t>(group_count * parts);
  Scan out;
  numerics::Profile endless;
  endless.fill(UINT32_MAX);
  out.records.resize(static_cast<std::size_t>(vectors));
  out.profiles.assign(rows, endless);
  out.on_device.second_at = place_behind(out.records.size() * sizeof(numerics::Record));
  const std::size_t profile_bytes = rows * sizeof(numerics::Profile);
  out.on_device.lease = context.lease(out.on_device.second_at + profile_bytes);
  context.queue().write(out.on_device.lease.memory(), out.on_device.second_at, std::as_bytes(std::span(out.profiles)));

  Index first = 0;
  for (const VectorView& view : views) {
    for (const Block& panel : panels_of(view)) {
      const ResidentBlock block = make_resident(context, view, panel, {0, view.inner});
      const VectorView& v = block.view;
      kernels::scan_params p{};
      p.v = kernel_view(v);
      p.groups = static_cast<kernels::uint>(groups_for(v.vectors, 4));
      p.first_record = static_cast<kernels::uint>(first + panel.first);
      p.use_inner = inner.inner ? 1u : 0u;
      p.kappa_sign = static_cast<int>(hand);
      p.group_count = static_cast<kernels::uint>(group_count);
      const Slice pairs = inner.inner ? inner.pairs.slice() : whole(v.parts[0]);
      context.launch(
          Text::Scan, p.groups, v.vectors * v.inner * parts * 8,
          {whole(v.parts[0]), whole(v.parts[parts == 2 ? 1 : 0]), pairs, out.on_device.first(), out.on_device.second(), params(p)});
    }
    first += view.vectors;
  }
  return out;
}

void read_scan(Context& context, Scan& scan) {
  const std::size_t record_bytes = scan.records.size() * sizeof(numerics::Record);
  const std::size_t profile_bytes = scan.profiles.size() * sizeof(numerics::Profile);
  std::vector<std::byte> both(scan.on_device.second_at + profile_bytes);
  context.queue().read(scan.on_device.lease.memory(), 0, both);
  std::memcpy(scan.records.data(), both.data(), record_bytes);
  std::memcpy(scan.profiles.data(), both.data() + scan.on_device.second_at, profile_bytes);
}

bool all_finite(const Scan& scan) {
  return std::all_of(scan.records.begin(), scan.records.end(), [](const numerics::Record& record) { return numerics::is_finite(record); });
}

std::vector<Block> blocks_of(Index total, Index size) {
  std::vector<Block> out;
  for (Index first = 0; first < total; first += size) out.push_back({first, std::min(size, total - first)});
  return out;
}

}  // namespace ab::ops
