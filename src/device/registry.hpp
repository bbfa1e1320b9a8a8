// SPDX-License-Identifier: MIT
// The devices of this process: cpu first, then those of each backend in its driver's order. The only place that names backends.
#pragma once
#include <string>
#include <vector>

#include "device/device.hpp"

namespace ab::device {

enum class Trust { Untested, Passed, Refused };
struct TrustState {
  Trust trust = Trust::Untested;
  std::string reason;  // why refused
};

/// Devices found, cpu included: >= 1. The list is fixed for the life of the process; nothing is opened.
int count();
const Traits& traits_of(int index);
/// Those of the cpu device, without listing the others: no driver is loaded.
const Traits& cpu_traits();
/// Index of an id, -1 when there is none: "cpu", "cuda:0"; "cuda" is the first of its kind, with a local rank known the one of that
/// number modulo the devices of the kind.
int index_of_id(const std::string& id);
/// All devices, the best default first: kind by kind in the order of the list, within a kind from that of the local rank on, cpu last.
const std::vector<int>& default_order();
/// The first of them that is not refused. Without a lock: asked on the way of every call that is routed by a table.
int default_index();

TrustState trust_of(int index);
void set_trust(int index, const TrustState& state);

/// A cpu device whose residues have the layout of the common kernels, which other devices read; in no list. The same object each time.
Device& open_packer();
/// The opened device, the same object each time. Throws Error when it cannot be opened.
Device& open(int index);

}  // namespace ab::device
