// SPDX-License-Identifier: MIT
// What the steps of a product share: views as kernels read them, scans, blocks.
#pragma once
#include <functional>
#include <vector>

#include "numerics/plan.hpp"
#include "numerics/record.hpp"
#include "ops/open_device.hpp"
#include "ops/view.hpp"

namespace ab::ops {

/// Kernel structs of views. Slices go to a kernel whole (offset 0); what lies before the operand is in the struct's word offsets.
kernels::vector_view kernel_view(const VectorView& view);
kernels::result_view kernel_view(const ResultView& view, Triangle triangle);
kernels::scalars kernel_scalars(const Product& product);
Slice whole(const Slice& slice);

/// One part of a complex operand as a real one (the split form).
VectorView part_of(const VectorView& view, int part);

/// What scans that were made together lie in, on the device and on the host.
struct ScanMemory {
  const Context* context;  // whose device it is
  Lease device;
  std::unique_ptr<std::byte[]> host;
};
/// Records and profiles of vectors, on the host for the plan and on the device for later kernels (docs/numerics.md 5).
struct Scan {
  std::shared_ptr<const ScanMemory> memory;
  Slice records_on_device;
  std::span<const numerics::Record> records;    // of all views, one after the other; to be read when the scan is complete
  std::span<const numerics::Profile> profiles;  // group by group, part by part
  std::shared_ptr<numerics::Stances> stances;   // of the records, for all plans they are kept for
  bool finite = true;                           // all entries are
  numerics::Side side() const { return {records, profiles, stances.get()}; }
};
using SharedScan = std::shared_ptr<const Scan>;
/// The exponents kappa and groups of the second look on the device: (kappa, group) a term.
struct InnerOnDevice {
  const numerics::Inner* inner = nullptr;  // null: none
  Lease pairs;
};
enum class HandSide { Left = 1, Right = -1 };  // the sign with which kappa counts

/// Blocks that cover `total` in pieces of at most `size`.
struct Block {
  Index first, count;
};
std::vector<Block> blocks_of(Index total, Index size);

/// An operand to scan: one view, or the two parts of a split one, whose vectors count as one set.
struct ToScan {
  std::vector<VectorView> views;
  HandSide hand;
};
/// What the device can be given to do while the host waits for scans, whose records are on the device by then.
using Meanwhile = std::function<void(std::span<const SharedScan>)>;
/// Scans operands together: the device is waited for once. Calls `meanwhile`, if given, where the device would be idle otherwise.
std::vector<SharedScan> scan(Context& context, std::span<const ToScan> operands, const InnerOnDevice& inner,
                             const Meanwhile& meanwhile = {});

inline Index rounded_up(Index value, Index unit) {
  return (value + unit - 1) / unit * unit;
}
inline Index groups_for(Index total, Index per_group) {
  return (total + per_group - 1) / per_group;
}

}  // namespace ab::ops
