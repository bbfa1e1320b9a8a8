// SPDX-License-Identifier: MIT
// The functions of the native image for the fake driver: the kernels' own text run on the host. What only the device can do is
// done here: bulk tensor copies and warpgroups' products from the tensor maps and the documented layout of sums; warps' instructions one by
// one (warp_words.hpp).
#pragma once
#include "sim/cuda/fake_state.hpp"

namespace ab::test::fake {

/// What a tensor map of the fake driver holds.
struct FakeTensor {
  Address planes;
  std::uint64_t extents[3];
  std::uint32_t box_vectors;
};
static_assert(sizeof(FakeTensor) <= sizeof(device::cuda::TensorMap));

struct NativeFunction {
  const char* name;
  unsigned threads, shared_bytes;
  /// Copies the arguments with device addresses made the host's; what comes back runs the launch.
  std::function<void()> (*prepare)(Context& context, void** arguments, unsigned groups);
};

/// Null when there is none of the name.
const NativeFunction* find_native(const char* name);
/// cuModuleGetFunction for the module of native kernels.
Result find_native_function(Module& module, const char* name, device::cuda::FunctionHandle* function);

}  // namespace ab::test::fake
