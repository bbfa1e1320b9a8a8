// SPDX-License-Identifier: MIT
#include <cassert>
#include <string_view>

#include "device/cpu/native/native.hpp"

namespace ab::device::native {
namespace {

struct Run {
  const Launch& launch;
  void (*run_group)(const kernels::Group& group);
};

void run_groups(const void* state, std::byte* scratch, Index first, Index last) {
  const Run& run = *static_cast<const Run*>(state);
  constexpr Index fold = AB_FOLD;
  for (Index g = first; g < last; ++g) {
    run.run_group({run.launch.buffers, scratch, static_cast<kernels::uint>(g % fold), static_cast<kernels::uint>(g / fold), 0});
  }
}

}  // namespace

void run_common(const Launch& launch, const char* name, Index groups, Index work) {
  const kernels::HostKernel* row = launch.common;
  while (row->name != nullptr && std::string_view(row->name) != name) ++row;
  assert(row->name != nullptr);
  const Run run{launch, row->run_group};
  launch.sharer.share(groups, work, &run_groups, &run);
}

}  // namespace ab::device::native
