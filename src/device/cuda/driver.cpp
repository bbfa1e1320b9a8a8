// SPDX-License-Identifier: MIT
#include "device/cuda/driver.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "core/process.hpp"
#include "device/cuda/entry_points.hpp"

namespace ab::device::cuda {
namespace {

// Names with _v2 are those that cuda.h has given its functions since CUDA 4.0 and 11.0.
bool find_calls_of_devices(void* library, Driver& d) {
  return find(library, "cuInit", d.init) && find(library, "cuDriverGetVersion", d.driver_get_version) &&
         find(library, "cuGetErrorName", d.get_error_name) && find(library, "cuGetErrorString", d.get_error_string) &&
         find(library, "cuDeviceGetCount", d.device_get_count) && find(library, "cuDeviceGet", d.device_get) &&
         find(library, "cuDeviceGetName", d.device_get_name) && find(library, "cuDeviceTotalMem_v2", d.device_total_mem) &&
         find(library, "cuDeviceGetAttribute", d.device_get_attribute) && find(library, "cuDevicePrimaryCtxRetain", d.primary_retain) &&
         find(library, "cuDevicePrimaryCtxRelease_v2", d.primary_release) && find(library, "cuCtxPushCurrent_v2", d.push_current) &&
         find(library, "cuCtxPopCurrent_v2", d.pop_current);
}

bool find_calls_of_memory(void* library, Driver& d) {
  return find(library, "cuMemGetInfo_v2", d.mem_get_info) && find(library, "cuMemAlloc_v2", d.mem_alloc) &&
         find(library, "cuMemFree_v2", d.mem_free) && find(library, "cuMemHostAlloc", d.mem_host_alloc) &&
         find(library, "cuMemFreeHost", d.mem_free_host) && find(library, "cuMemcpyHtoDAsync_v2", d.copy_to_device) &&
         find(library, "cuMemcpyDtoHAsync_v2", d.copy_to_host) && find(library, "cuMemcpyDtoDAsync_v2", d.copy_on_device);
}

bool find_calls_of_streams(void* library, Driver& d) {
  return find(library, "cuStreamCreate", d.stream_create) && find(library, "cuStreamSynchronize", d.stream_synchronize) &&
         find(library, "cuStreamDestroy_v2", d.stream_destroy) && find(library, "cuEventCreate", d.event_create) &&
         find(library, "cuEventRecord", d.event_record) && find(library, "cuEventSynchronize", d.event_synchronize) &&
         find(library, "cuEventDestroy_v2", d.event_destroy);
}

bool find_calls_of_kernels(void* library, Driver& d) {
  return find(library, "cuModuleLoadDataEx", d.module_load) && find(library, "cuModuleUnload", d.module_unload) &&
         find(library, "cuModuleGetFunction", d.module_get_function) && find(library, "cuLaunchKernel", d.launch_kernel);
}

void find_calls_of_native_kernels(void* library, Driver& d) {
  find(library, "cuFuncSetAttribute", d.func_set_attribute);
  find(library, "cuTensorMapEncodeTiled", d.tensor_map_encode);
  find(library, "cuMemsetD32Async", d.memset_words);
  find(library, "cuEventElapsedTime", d.event_elapsed);
}

void find_calls_of_host_memory(void* library, Driver& d) {
  find(library, "cuMemHostRegister_v2", d.mem_host_register);
  find(library, "cuMemHostUnregister", d.mem_host_unregister);
  find(library, "cuMemHostGetDevicePointer_v2", d.mem_host_get_device_pointer);
}

// An empty table when there is no driver that works.
std::unique_ptr<const Driver> load_driver() {
  auto loaded = std::make_unique<Driver>();
  const LoadingLibrary loading;
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return loaded;
  const bool complete = find_calls_of_devices(library, *loaded) && find_calls_of_memory(library, *loaded) &&
                        find_calls_of_streams(library, *loaded) && find_calls_of_kernels(library, *loaded);
  find_calls_of_native_kernels(library, *loaded);
  find_calls_of_host_memory(library, *loaded);
  if (complete && loaded->init(0) == success) return loaded;
  if (!complete) dlclose(library);  // one that was initialised may have threads: it stays
  return std::make_unique<Driver>();
}

}  // namespace

const Driver* driver() {
  // No static with a guard, which a fork in another thread could leave locked in the child: whoever is first publishes.
  static constinit std::atomic<const Driver*> published{nullptr};
  const Driver* found = published.load(std::memory_order_acquire);
  if (found == nullptr) {
    std::unique_ptr<const Driver> loaded = load_driver();
    if (published.compare_exchange_strong(found, loaded.get(), std::memory_order_acq_rel)) found = loaded.release();
  }
  return found->init != nullptr ? found : nullptr;
}

std::string text_of(const Driver& driver, Result result) {
  const char* name = nullptr;
  const char* words = nullptr;
  if (driver.get_error_name(result, &name) != success || name == nullptr) return "CUDA error " + std::to_string(result);
  if (driver.get_error_string(result, &words) != success || words == nullptr) return name;
  return std::string(name) + " (" + words + ")";
}

bool is_final(Result result) {
  // Driver API, type CUresult: deinitialized, uncorrectable ECC, NVLink, contained error; illegal address, launch timeout, destroyed
  // context, assert, hardware stack, illegal instruction, misaligned address, address space, program counter, launch failed; unknown.
  constexpr std::array<Result, 15> final_results = {4, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 999};
  return std::find(final_results.begin(), final_results.end(), result) != final_results.end();
}

}  // namespace ab::device::cuda
