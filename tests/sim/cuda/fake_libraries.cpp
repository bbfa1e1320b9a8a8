// SPDX-License-Identifier: MIT
// What the fake driver does for its vendor's other libraries.
#include "sim/cuda/fake_state.hpp"

namespace ab::test::fake {

int run_for_library(const FakeLaunch& launch) {
  return call_in_context([&](State&, Context& context) {
    std::vector<std::byte*> places;
    for (const FakeMemory& memory : launch.memory) {
      places.push_back(host_place(context, memory.address, memory.bytes));
      if (places.back() == nullptr) return illegal_address;
    }
    if (launch.stream == nullptr) return device::cuda::success;
    auto* const stream = reinterpret_cast<Stream*>(launch.stream);
    if (stream->context != &context) return violation("a stream of another context", invalid_handle);
    return enqueue_work(*stream, [places, body = launch.body] { body(places); });
  });
}

}  // namespace ab::test::fake
