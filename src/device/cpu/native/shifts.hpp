// SPDX-License-Identifier: MIT
// The shifts of vectors, which kernels of residues make of records and leave for the reconstruction.
#pragma once
#include <cstdint>

#include "device/cpu/native/native.hpp"
#include "device/cpu/native/text.hpp"

namespace ab::device::native {
namespace {

/// Those of a launch of residues; vector 0 is the view's first.
[[maybe_unused]] const std::int32_t* make_shifts(const Launch& launch, const text::residues_params& p) {
  const auto* const records = static_cast<const text::vector_record*>(launch.buffers[3]) + p.first_record;
  auto* const shifts = static_cast<std::int32_t*>(launch.buffers[6]) + p.first_shift;
  for (kernels::uint v = 0; v < p.v.vectors; ++v) {
    shifts[v] = text::shift_of_record(records[v].E, records[v].L, records[v].flags, p.budget);
  }
  return shifts;
}

}  // namespace
}  // namespace ab::device::native
