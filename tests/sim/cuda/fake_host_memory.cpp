// SPDX-License-Identifier: MIT
// The driver calls about memory of the host that kernels read where it is.
#include "sim/cuda/fake_state.hpp"

using namespace ab::test::fake;
using ab::device::cuda::success;

extern "C" {

Result cuMemHostRegister_v2(void* data, std::size_t bytes, unsigned flags) {
  return call_in_context([&](State& now, Context&) { return register_host(now, data, bytes, flags); });
}

Result cuMemHostUnregister(void* data) {
  return releasing_call([&](State& now) {
    for (const auto& context : now.devices) run_all(*context);
    for (const auto& context : now.devices) context->mapped.erase(data);
    return now.registered.erase(data) == 1 ? success : violation("cuMemHostUnregister of what is not registered", invalid_value);
  });
}

Result cuMemHostGetDevicePointer_v2(Address* address, void* data, unsigned) {
  return call_in_context([&](State& now, Context& context) {
    const auto found = now.registered.find(data);
    if (found == now.registered.end()) return violation("a device pointer of what is not registered", invalid_value);
    *address = map_host(context, data, found->second);
    return success;
  });
}

}  // extern "C"
