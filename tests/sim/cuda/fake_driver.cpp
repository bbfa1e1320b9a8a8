// SPDX-License-Identifier: MIT
// A CUDA driver that is none: the entry points that the backend uses, on host memory, with kernels run as the host functions of the
// common text. As lazy as a driver may be: streams run when somebody waits for them. Device addresses are not host addresses.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#include "sim/cuda/fake_state.hpp"
#include "sim/cuda/native/native_functions.hpp"

using namespace ab::device::cuda;
using namespace ab::test::fake;

namespace {

constexpr std::size_t to_the_end = std::numeric_limits<std::size_t>::max();

template <class T>
T* as(auto* handle) {
  return reinterpret_cast<T*>(handle);
}

template <class T>
bool erase(std::vector<std::unique_ptr<T>>& from, T* what) {
  return std::erase_if(from, [&](const std::unique_ptr<T>& held) { return held.get() == what; }) == 1;
}

int device_count() {
  const char* const asked = std::getenv("AB_FAKE_CUDA_DEVICES");
  return asked != nullptr ? std::atoi(asked) : 2;
}

Context* context_of(State& now, Number number) {
  return number >= 0 && number < static_cast<int>(now.devices.size()) ? now.devices[static_cast<std::size_t>(number)].get() : nullptr;
}

Result enqueue_copy(Stream* stream, std::function<Result()> copy) {
  if (stream->context != context_stack().back()) return violation("a stream of another context", invalid_handle);
  stream->work.push_back(std::move(copy));
  return success;
}

ab::test::FakeAlive count_alive() {
  State& now = state();
  const std::scoped_lock lock(now.mutex);
  ab::test::FakeAlive alive{};
  for (const auto& context : now.devices) {
    alive.contexts += context->retained;
    alive.streams += static_cast<long>(context->streams.size());
    alive.device_buffers += static_cast<long>(context->buffers.size());
    alive.device_bytes += context->used_bytes;
  }
  alive.modules = static_cast<long>(now.modules.size());
  alive.events = static_cast<long>(now.events.size());
  alive.pinned_buffers = static_cast<long>(now.pinned.size() + now.registered.size());
  return alive;
}

void fail_at(long nth, int result, ab::test::FakeFailures failures) {
  State& now = state();
  const std::scoped_lock lock(now.mutex);
  now.calls = 0, now.failing_call = nth, now.failure = result, now.failures = failures;
}

void fault_at_launch(long nth) {
  State& now = state();
  const std::scoped_lock lock(now.mutex);
  now.launches = 0, now.faulting_launch = nth;
}

void repair() {
  State& now = state();
  const std::scoped_lock lock(now.mutex);
  for (const auto& context : now.devices) context->lost = success;
}

}  // namespace

extern "C" {

const ab::test::FakeControl* ab_fake_cuda_control() {
  static const ab::test::FakeControl control = {fail_at,
                                                [] { return state().calls; },
                                                fault_at_launch,
                                                [] { return state().launches; },
                                                [](std::size_t bytes) { state().memory_limit = bytes; },
                                                count_alive,
                                                [] { return state().violations; },
                                                [] { return state().first_violation.c_str(); },
                                                gather_streams,
                                                repair,
                                                run_for_library};
  return &control;
}

Result cuInit(unsigned) {
  return call([](State& now) {
    if (now.process != 0) return success;
    const char* const refusal = std::getenv("AB_FAKE_CUDA_INIT");
    if (refusal != nullptr) return std::atoi(refusal);
    now.process = getpid();
    for (int i = 0; i < device_count(); ++i) {
      now.devices.push_back(std::make_unique<Context>());
      now.devices.back()->device = i;
    }
    return success;
  });
}

Result cuDriverGetVersion(int* version) {
  const char* const asked = std::getenv("AB_FAKE_CUDA_VERSION");
  *version = asked != nullptr ? std::atoi(asked) : 13000;
  return success;
}

Result cuGetErrorName(Result result, const char** text) {
  *text = result == out_of_memory     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                      : "CUDA_ERROR_FAKED";
  return success;
}

Result cuGetErrorString(Result result, const char** text) {
  *text = result == out_of_memory ? "out of memory" : result == illegal_address ? "an illegal memory access was encountered" : "made up";
  return success;
}

Result cuDeviceGetCount(int* count) {
  return call([&](State& now) {
    *count = static_cast<int>(now.devices.size());
    return success;
  });
}

Result cuDeviceGet(Number* number, int ordinal) {
  return call([&](State& now) {
    *number = ordinal;
    return context_of(now, ordinal) != nullptr ? success : invalid_device;
  });
}

Result cuDeviceGetName(char* name, int bytes, Number number) {
  return call([&](State& now) {
    if (context_of(now, number) == nullptr) return invalid_device;
    std::strncpy(name, "Fake CUDA device", static_cast<std::size_t>(bytes));
    return success;
  });
}

Result cuDeviceTotalMem_v2(std::size_t* bytes, Number number) {
  return call([&](State& now) {
    *bytes = std::size_t{1} << 30;
    return context_of(now, number) != nullptr ? success : invalid_device;
  });
}

Result cuDeviceGetAttribute(int* value, int attribute, Number number) {
  return call([&](State& now) {
    *value = attribute == CapabilityMajor ? 9 : attribute == MultiprocessorCount ? 4 : 0;
    return context_of(now, number) != nullptr ? success : invalid_device;
  });
}

Result cuDevicePrimaryCtxRetain(ContextHandle* handle, Number number) {
  return call([&](State& now) {
    Context* const context = context_of(now, number);
    if (context == nullptr) return violation("cuDevicePrimaryCtxRetain of no device", invalid_device);
    ++context->retained;
    *handle = as<CUctx_st>(context);
    return success;
  });
}

Result cuDevicePrimaryCtxRelease_v2(Number number) {
  return releasing_call([&](State& now) {
    Context* const context = context_of(now, number);
    if (context == nullptr || context->retained == 0)
      return violation("cuDevicePrimaryCtxRelease of what is not retained", invalid_context);
    if (--context->retained > 0) return success;
    const bool empty = context->buffers.empty() && context->streams.empty();
    return empty ? success : violation("a context released with memory or streams in it", invalid_context);
  });
}

Result cuCtxPushCurrent_v2(ContextHandle handle) {
  return pushing_call([&](State&) {
    Context* const context = as<Context>(handle);
    if (context == nullptr || context->retained == 0)
      return violation("cuCtxPushCurrent of a context that is not retained", invalid_context);
    context_stack().push_back(context);
    return success;
  });
}

Result cuCtxPopCurrent_v2(ContextHandle* handle) {
  return releasing_call([&](State&) {
    if (context_stack().empty()) return violation("cuCtxPopCurrent without a context", invalid_context);
    *handle = as<CUctx_st>(context_stack().back());
    context_stack().pop_back();
    return success;
  });
}

Result cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  return call_in_context([&](State& now, Context& context) {
    *total_bytes = now.memory_limit;
    *free_bytes = now.memory_limit - context.used_bytes;
    return success;
  });
}

Result cuMemAlloc_v2(Address* address, std::size_t bytes) {
  return call_in_context([&](State&, Context& context) { return allocate(context, address, bytes); });
}

Result cuMemFree_v2(Address address) {
  return releasing_call([&](State&) {
    if (context_stack().empty()) return violation("cuMemFree without a current context", invalid_context);
    return release(*context_stack().back(), address);
  });
}

Result cuMemHostAlloc(void** data, std::size_t bytes, unsigned) {
  return call_in_context([&](State& now, Context&) {
    *data = std::malloc(bytes);
    if (*data == nullptr) return out_of_memory;
    now.pinned.emplace(*data, bytes);
    return success;
  });
}

Result cuMemFreeHost(void* data) {
  return releasing_call([&](State& now) {
    for (const auto& context : now.devices) run_all(*context);
    if (now.pinned.erase(data) == 0) return violation("cuMemFreeHost of what is not pinned", invalid_value);
    std::free(data);
    return success;
  });
}

Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, StreamHandle stream) {
  return call_in_context([&](State&, Context& context) {
    std::byte* const place = host_place(context, to, bytes);
    if (place == nullptr) return illegal_address;
    if (!is_pinned(from, bytes)) return violation("an asynchronous copy from pageable memory", invalid_value);
    return enqueue_copy(as<Stream>(stream), [=] {
      std::memcpy(place, from, bytes);
      return success;
    });
  });
}

Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, StreamHandle stream) {
  return call_in_context([&](State&, Context& context) {
    const std::byte* const place = host_place(context, from, bytes);
    if (place == nullptr) return illegal_address;
    if (!is_pinned(to, bytes)) return violation("an asynchronous copy to pageable memory", invalid_value);
    return enqueue_copy(as<Stream>(stream), [=] {
      std::memcpy(to, place, bytes);
      return success;
    });
  });
}

Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, StreamHandle stream) {
  return call_in_context([&](State&, Context& context) {
    std::byte* const target = host_place(context, to, bytes);
    const std::byte* const source = host_place(context, from, bytes);
    if (target == nullptr || source == nullptr) return illegal_address;
    return enqueue_copy(as<Stream>(stream), [=] {
      std::memmove(target, source, bytes);
      return success;
    });
  });
}

Result cuStreamCreate(StreamHandle* stream, unsigned) {
  return call_in_context([&](State&, Context& context) {
    context.streams.push_back(std::make_unique<Stream>());
    context.streams.back()->context = &context;
    *stream = as<CUstream_st>(context.streams.back().get());
    return success;
  });
}

Result cuStreamSynchronize(StreamHandle stream) {
  if (!is_gathered(*as<Stream>(stream))) return violation("streams that do not wait at once", invalid_handle);
  return call_in_context([&](State&, Context&) { return run(*as<Stream>(stream), to_the_end); });
}

Result cuStreamDestroy_v2(StreamHandle stream) {
  return releasing_call([&](State&) {
    Stream* const destroyed = as<Stream>(stream);
    run(*destroyed, to_the_end);
    return erase(destroyed->context->streams, destroyed) ? success : violation("cuStreamDestroy of no stream", invalid_handle);
  });
}

Result cuEventCreate(EventHandle* event, unsigned) {
  return call_in_context([&](State& now, Context& context) {
    now.events.push_back(std::make_unique<Event>());
    now.events.back()->context = &context;
    *event = as<CUevent_st>(now.events.back().get());
    return success;
  });
}

Result cuEventRecord(EventHandle event, StreamHandle stream) {
  return call_in_context([&](State&, Context& context) {
    Event& recorded = *as<Event>(event);
    if (recorded.context != &context) return violation("an event of another context", invalid_handle);
    recorded.stream = as<Stream>(stream);
    recorded.behind = recorded.stream->finished + recorded.stream->work.size();
    return success;
  });
}

Result cuEventSynchronize(EventHandle event) {
  return call_in_context([&](State&, Context&) {
    const Event& awaited = *as<Event>(event);
    return awaited.stream == nullptr ? success : run(*awaited.stream, awaited.behind);
  });
}

Result cuEventDestroy_v2(EventHandle event) {
  return releasing_call(
      [&](State& now) { return erase(now.events, as<Event>(event)) ? success : violation("cuEventDestroy of no event", invalid_handle); });
}

Result cuModuleLoadDataEx(ModuleHandle* module, const void* image, unsigned, int*, void**) {
  return call_in_context([&](State& now, Context& context) {
    const auto begins_with = [&](std::string_view word) {  // of an image whose size is not known
      const auto* const bytes = static_cast<const char*>(image);
      for (std::size_t i = 0; i < word.size(); ++i) {
        if (bytes[i] != word[i]) return false;
      }
      return true;
    };
    const bool native = begins_with("native");
    if (!native && !begins_with("fake") && !begins_with("\x50\xED\x55\xBA")) return invalid_image;  // ours, or nvcc's
    now.modules.push_back(std::make_unique<Module>());
    now.modules.back()->context = &context;
    now.modules.back()->native = native;
    *module = as<CUmod_st>(now.modules.back().get());
    return success;
  });
}

Result cuModuleUnload(ModuleHandle module) {
  return releasing_call([&](State& now) {
    return erase(now.modules, as<Module>(module)) ? success : violation("cuModuleUnload of no module", invalid_handle);
  });
}

Result cuModuleGetFunction(FunctionHandle* function, ModuleHandle module, const char* name) {
  return call_in_context([&](State&, Context&) {
    if (as<Module>(module)->native) return find_native_function(*as<Module>(module), name, function);
    const ab::kernels::HostKernel* kernel = ab::kernels::host_kernels_base;
    while (kernel->name != nullptr && std::strcmp(kernel->name, name) != 0) ++kernel;
    const KernelShape* shape = kernel_shapes;
    while (shape->name != nullptr && std::strcmp(shape->name, name) != 0) ++shape;
    if (kernel->name == nullptr || shape->name == nullptr) return not_found;
    auto& functions = as<Module>(module)->functions;
    functions.push_back(std::make_unique<Function>(Function{kernel, shape}));
    *function = as<CUfunc_st>(functions.back().get());
    return success;
  });
}

#if !defined(AB_FAKE_WITHOUT_LAUNCH)
Result cuLaunchKernel(FunctionHandle function, unsigned x, unsigned y, unsigned z, unsigned width, unsigned height, unsigned depth,
                      unsigned shared_bytes, StreamHandle stream, void** arguments, void**) {
  return call_in_context([&](State&, Context&) {
    const Function& launched = *as<Function>(function);
    if (launched.native != nullptr) {
      const bool fits = width == launched.native->threads && height == 1 && depth == 1 && x > 0 && y == 1 && z == 1 &&
                        shared_bytes == launched.native->shared_bytes && static_cast<int>(shared_bytes) <= launched.allowed_shared_bytes;
      if (!fits) return violation("a native launch of a wrong size", invalid_value);
      return enqueue_native(*as<Stream>(stream), {launched, x, y, z, arguments});
    }
    const bool right = width == launched.shape->width && height == launched.shape->height && depth == 1 && shared_bytes == 0;
    if (!right || x == 0 || y == 0 || z == 0 || y > 65535 || z > 65535) return violation("a launch of a wrong size", invalid_value);
    return enqueue(*as<Stream>(stream), {launched, x, y, z, arguments});
  });
}
#endif

}  // extern "C"
