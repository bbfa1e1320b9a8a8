// SPDX-License-Identifier: MIT
#include "ops/steps.hpp"

#include <algorithm>

#include "numerics/guard.hpp"
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

namespace {

// Records of all operands, then their profiles, which have to be written before the first kernel runs.
struct ScanPlaces {
  std::vector<std::size_t> records, profiles;
  std::size_t profiles_begin = 0, end = 0;
};

struct ScanRun {
  Context& context;
  const InnerOnDevice& inner;
  const ScanMemory& memory;
  Index group_count, parts;
};

std::size_t profiles_of(const ScanRun& run) {
  return static_cast<std::size_t>(run.group_count * run.parts);
}

Index vectors_of(const ToScan& operand) {
  Index vectors = 0;
  for (const VectorView& view : operand.views) vectors += view.vectors;
  return vectors;
}

ScanPlaces place_scans(std::span<const ToScan> operands, std::size_t profiles) {
  ScanPlaces places;
  const auto put = [&](std::vector<std::size_t>& to, std::size_t bytes) {
    to.push_back(places.end);
    places.end = place_behind(places.end + bytes);
  };
  for (const ToScan& operand : operands) put(places.records, static_cast<std::size_t>(vectors_of(operand)) * sizeof(numerics::Record));
  places.profiles_begin = places.end;
  for (std::size_t i = 0; i < operands.size(); ++i) put(places.profiles, profiles * sizeof(numerics::Profile));
  return places;
}

void launch_scan(const ScanRun& run, const ToScan& operand, const Slice& records, const Slice& profiles) {
  Index first = 0;
  for (const VectorView& view : operand.views) {
    for (const Block& panel : panels_of(view)) {
      const ResidentBlock block = make_resident(run.context, view, panel, {0, view.inner});
      const VectorView& v = block.view;
      kernels::scan_params p{};
      p.v = kernel_view(v);
      p.groups = static_cast<kernels::uint>(groups_for(v.vectors, 4));
      p.first_record = static_cast<kernels::uint>(first + panel.first);
      p.use_inner = run.inner.inner ? 1u : 0u;
      p.kappa_sign = static_cast<int>(operand.hand);
      p.group_count = static_cast<kernels::uint>(run.group_count);
      const Slice pairs = run.inner.inner ? run.inner.pairs.slice() : whole(v.parts[0]);
      run.context.launch(Text::Scan, p.groups, v.vectors * v.inner * run.parts * 8,
                         {whole(v.parts[0]), whole(v.parts[run.parts == 2 ? 1 : 0]), pairs, records, profiles, params(p)});
    }
    first += view.vectors;
  }
}

// A view of what was read, which the scan's memory keeps.
template <class T>
std::span<const T> read_at(const ScanMemory& memory, std::size_t offset, std::size_t count) {
  return {reinterpret_cast<const T*>(memory.host.get() + offset), count};
}

}  // namespace

std::vector<SharedScan> scan(Context& context, std::span<const ToScan> operands, const InnerOnDevice& inner, const Meanwhile& meanwhile) {
  if (operands.empty()) return {};
  const auto memory = std::make_shared<ScanMemory>();
  memory->context = &context;
  const Index group_count = inner.inner ? static_cast<Index>(inner.inner->group_sizes.size()) : 1;
  const ScanRun run{context, inner, *memory, group_count, operands[0].views[0].part_count};
  const ScanPlaces places = place_scans(operands, profiles_of(run));
  memory->device = context.lease(places.end);
  memory->host = std::make_unique_for_overwrite<std::byte[]>(places.end);
  const std::span<std::byte> host(memory->host.get(), places.end), profiles = host.subspan(places.profiles_begin);
  std::memset(profiles.data(), 0xFF, profiles.size());
  context.queue().write(memory->device.memory(), places.profiles_begin, profiles);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    launch_scan(run, operands[i], memory->device.slice(places.records[i]), memory->device.slice(places.profiles[i]));
  }
  std::vector<std::shared_ptr<Scan>> scans;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto count = static_cast<std::size_t>(vectors_of(operands[i]));
    scans.push_back(std::make_shared<Scan>(
        Scan{memory, memory->device.slice(places.records[i]), read_at<numerics::Record>(*memory, places.records[i], count),
             read_at<numerics::Profile>(*memory, places.profiles[i], profiles_of(run)), std::make_shared<numerics::Stances>()}));
  }
  std::vector<SharedScan> out(scans.begin(), scans.end());
  const std::unique_ptr<device::Queue::Mark> scanned = meanwhile ? context.queue().mark() : nullptr;
  if (scanned != nullptr) meanwhile(out);
  context.queue().read_after(scanned.get(), memory->device.memory(), 0, host);
  for (const auto& scan : scans) scan->finite = std::all_of(scan->records.begin(), scan->records.end(), numerics::is_finite);
  return out;
}

std::vector<Block> blocks_of(Index total, Index size) {
  std::vector<Block> out;
  for (Index first = 0; first < total; first += size) out.push_back({first, std::min(size, total - first)});
  return out;
}

}  // namespace ab::ops
