// SPDX-License-Identifier: MIT
// The devices of this machine and the calling thread's choice among them.
#include <algorithm>
#include <cstring>

#include "capi/guarded.hpp"
#include "device/registry.hpp"
#include "ops/context.hpp"

using ab::Status;
using ab::capi::fail;
using ab::capi::guarded;

namespace {

template <std::size_t size>
void copy_text(char (&to)[size], const std::string& from) {
  const std::size_t length = std::min(size - 1, from.size());
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

int trust_number(ab::device::Trust trust) {
  switch (trust) {
    case ab::device::Trust::Untested:
      return -1;
    case ab::device::Trust::Refused:
      return 0;
    case ab::device::Trust::Passed:
      return 1;
  }
  return -1;
}

void require_index(int index) {
  const int count = ab::device::count();
  if (index >= 0 && index < count) return;
  fail(Status::InvalidArgument, "index is " + std::to_string(index) + ", expected 0 to " + std::to_string(count - 1));
}

ABDeviceTraits describe(int index) {
  const ab::device::Traits& traits = ab::device::traits_of(index);
  const ab::device::TrustState trust = ab::device::trust_of(index);
  ABDeviceTraits described = {};
  described.index = index;
  copy_text(described.id, traits.id);
  copy_text(described.name, traits.name);
  described.memory_bytes = traits.memory_bytes;
  described.max_buffer_bytes = traits.max_buffer_bytes;
  described.unified_memory = traits.unified_memory;
  described.fp64 = traits.fp64;
  described.int8_matrix = traits.int8_matrix;
  described.trusted = trust_number(trust.trust);
  copy_text(described.reason, trust.reason);
  return described;
}

}  // namespace

extern "C" {

int ab_device_count(void) {
  int count = 0;
  guarded("ab_device_count", [&] { count = ab::device::count(); });
  return count;
}

ABStatus ab_device_traits(int index, ABDeviceTraits* traits) {
  return guarded("ab_device_traits", [&] {
    if (!traits) fail(Status::InvalidArgument, "traits is NULL, expected an ABDeviceTraits");
    const std::size_t size = traits->struct_size;
    ab::capi::require_struct_size(size, sizeof(ABDeviceTraits));
    require_index(index);
    *traits = describe(index);
    traits->struct_size = size;
  });
}

ABStatus ab_select_device(int index) {
  return guarded("ab_select_device", [&] {
    require_index(index);
    ab::ops::select_device(index);
  });
}

int ab_current_device(void) {
  int index = -1;
  guarded("ab_current_device", [&] { index = ab::ops::current_device_index(); });
  return index;
}

}  // extern "C"
