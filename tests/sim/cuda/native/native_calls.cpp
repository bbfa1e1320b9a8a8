// SPDX-License-Identifier: MIT
// The entry points of the fake driver that only native kernels need.
#include <cstring>

#include "sim/cuda/native/native_functions.hpp"

using namespace ab::device::cuda;
using namespace ab::test::fake;

namespace ab::test::fake {

Result find_native_function(Module& module, const char* name, FunctionHandle* function) {
  const NativeFunction* const native = find_native(name);
  if (native == nullptr) return not_found;
  module.functions.push_back(std::make_unique<Function>(Function{nullptr, nullptr, native}));
  *function = reinterpret_cast<FunctionHandle>(module.functions.back().get());
  return success;
}

}  // namespace ab::test::fake

extern "C" {

Result cuFuncSetAttribute(FunctionHandle function, int attribute, int value) {
  return call_in_context([&](State&, Context&) {
    if (attribute != most_dynamic_shared_bytes || value > 227 * 1024) return invalid_value;
    reinterpret_cast<Function*>(function)->allowed_shared_bytes = value;
    return success;
  });
}

// What a driver would refuse, and the tensors of our kernels: bytes in three dimensions.
Result cuTensorMapEncodeTiled(TensorMap* map, int type, std::uint32_t rank, void* address, const std::uint64_t* extents,
                              const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps, int interleave,
                              int swizzle, int, int) {
  return call_in_context([&](State&, Context& context) {
    if (type != tensor_bytes || rank != 3 || interleave != tensor_not_interleaved || swizzle != tensor_swizzle_128) return invalid_value;
    const auto planes = reinterpret_cast<Address>(address);
    bool right = planes % 16 == 0 && strides[0] == extents[0] && strides[1] == extents[0] * extents[1] && box[0] == 128 && box[2] == 1;
    for (int i = 0; i < 3; ++i) {
      right = right && extents[i] > 0 && extents[i] <= std::uint64_t{1} << 32 && box[i] > 0 && box[i] <= 256 && steps[i] == 1;
      right = right && (i == 2 || (strides[i] % 16 == 0 && strides[i] < std::uint64_t{1} << 40));
    }
    if (!right || host_place(context, planes, strides[1] * extents[2]) == nullptr) return invalid_value;
    const FakeTensor tensor{planes, {extents[0], extents[1], extents[2]}, box[1]};
    std::memcpy(map, &tensor, sizeof tensor);
    return success;
  });
}

Result cuMemsetD32Async(Address to, unsigned value, std::size_t count, StreamHandle stream) {
  return call_in_context([&](State&, Context& context) {
    std::byte* const place = host_place(context, to, 4 * count);
    if (place == nullptr || to % 4 != 0) return illegal_address;
    auto* const queue = reinterpret_cast<Stream*>(stream);
    if (queue->context != &context) return violation("a stream of another context", invalid_handle);
    queue->work.push_back([=] {
      for (std::size_t i = 0; i < count; ++i) std::memcpy(place + 4 * i, &value, 4);
      return success;
    });
    return success;
  });
}

}  // extern "C"
