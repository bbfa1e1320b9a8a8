// SPDX-License-Identifier: MIT
#include "ops/cap_share.hpp"

#include <algorithm>

namespace ab::ops {
namespace {

constexpr double most_moduli = 20;  // of the family with the most (numerics/moduli.cpp), a byte each; the others' take 30 and 28 bytes

double rounded(Index size, Index unit) {
  return static_cast<double>(size) + static_cast<double>(unit);
}

// Of results that are reconstructed in the launch that makes them (ops/gemm_crt.cpp).
double scratch_of(const device::Traits& traits, const Extent& extent, double per_entry) {
  const double most = static_cast<double>(traits.product_scratch_bytes);
  if (traits.product_tile == 0) return most;
  const double tile = static_cast<double>(traits.product_tile);
  const double results = rounded(extent.rows, traits.product_tile) * rounded(extent.columns, traits.product_tile);
  return std::min(most, per_entry * results) + per_entry * tile * tile;
}

struct PerEntry {
  double operand, result;
};
PerEntry per_entry(const Choices& choices, const device::Traits& traits, int words) {
  const bool bytes = choices.family.value_or(traits.family) == ModuliFamily::Int8;
  const double residues = bytes ? most_moduli : 30;
  return words == 1 ? PerEntry{residues, residues} : PerEntry{3 * residues, 4 * residues};
}

}  // namespace

Index small_buffers(Index vectors, Index inner, int words) {
  constexpr Index record = 64, others = 16, fixed = 96 * 1024;
  return vectors * (record * (words == 1 ? 2 : 6) + others) + inner * others + fixed;
}

Need need_of(Context& context, const Choices& choices, const Extent& extent) {
  const device::Traits& traits = (choices.multiplier != nullptr ? *choices.multiplier : context).device().traits();
  const PerEntry entry = per_entry(choices, traits, extent.words);
  const double m = rounded(extent.rows, 2 * traits.vector_unit), n = rounded(extent.columns, 2 * traits.vector_unit);
  const double scratch = scratch_of(traits, extent, entry.result);
  const double padding = 4 * entry.operand * static_cast<double>(traits.plane_padding_bytes);
  Need need;
  need.besides = static_cast<double>(small_buffers(extent.rows + extent.columns, extent.inner, extent.words)) + padding;
  need.all = entry.operand * (m + n) * rounded(extent.inner, 64) + entry.result * m * n + scratch;
  need.all = std::max(need.all, 4 * scratch) + need.besides;  // no more than a quarter goes to scratch
  const double result = static_cast<double>(sizeof(double) * static_cast<unsigned>(extent.words)) * m * n;
  const bool is_cut = without_rounding(static_cast<Index>(context.cap_bytes())) < need.all;
  if (is_cut && !choices.private_result) need.besides += result;  // blocks go to a copy of the result first
  return need;
}

Need need_with_copies(Context& context, const Choices& choices, const Extent& extent) {
  const double entry = static_cast<double>(sizeof(double) * static_cast<unsigned>(extent.words));
  const auto m = static_cast<double>(extent.rows), n = static_cast<double>(extent.columns), k = static_cast<double>(extent.inner);
  return {need_of(context, choices, extent).all + entry * (m * k + k * n + 2 * m * n), 0};
}

Need with_buffers(Need need, double bytes) {
  return {need.all + bytes, need.besides + bytes};
}

CapShare::CapShare(Context& context, const Choices& choices, const Need& need) {
  if (choices.cap_bytes >= 0) return;
  const auto cap = static_cast<double>(context.cap_bytes());
  const double wanted = std::min(cap, need.all + need.all / 8 + 4096);
  cap_bytes_ = wanted == cap ? static_cast<Index>(context.cap_bytes()) : static_cast<Index>(wanted);
  pool_ = context.shared_pool();
  reserved_bytes_ = pool_->reserve(static_cast<std::uint64_t>(cap_bytes_));
  if (need.besides == 0) return;
  // An operation whose own buffers nearly fill the cap exceeds it rather than go by the smallest blocks.
  const Index usable = without_rounding(cap_bytes_);
  cap_bytes_ = static_cast<Index>(std::max(static_cast<double>(usable) - need.besides, static_cast<double>(usable / 2)));
}

CapShare::~CapShare() {
  if (pool_) pool_->give_back(reserved_bytes_);
}

Choices CapShare::within(Choices choices) const {
  if (pool_) choices.cap_bytes = cap_bytes_;
  return choices;
}

}  // namespace ab::ops
