// SPDX-License-Identifier: MIT
// CUDA's driver API, found when the program runs: own declarations of what the backend calls, so that neither toolkit nor driver is
// needed to build or to load the library. tests/device/cuda compares them with cuda.h where there is one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;

namespace ab::device::cuda {

using Result = int;                  // CUresult
using Number = int;                  // CUdevice
using Address = unsigned long long;  // CUdeviceptr
using ContextHandle = CUctx_st*;
using ModuleHandle = CUmod_st*;
using FunctionHandle = CUfunc_st*;
using StreamHandle = CUstream_st*;
using EventHandle = CUevent_st*;

inline constexpr Result success = 0, out_of_memory = 2;

enum Attribute : int { MultiprocessorCount = 16, CapabilityMajor = 75, CapabilityMinor = 76 };
enum LoadOption : int { ErrorLogBuffer = 5, ErrorLogBufferBytes = 6 };
inline constexpr unsigned stream_non_blocking = 1, event_default = 0, event_disable_timing = 2, host_register_device_map = 2;
inline constexpr int most_dynamic_shared_bytes = 8;  // CUfunction_attribute

// CUtensorMap and what the backend says of its tensors (CUtensorMapDataType and others).
struct alignas(128) TensorMap {
  std::uint64_t opaque[16];
};
inline constexpr int tensor_bytes = 0, tensor_not_interleaved = 0, tensor_swizzle_128 = 3, tensor_l2_lines_256 = 3,
                     tensor_zeros_outside = 0;

struct Driver {
  Result (*init)(unsigned flags) = nullptr;
  Result (*driver_get_version)(int* version) = nullptr;
  Result (*get_error_name)(Result result, const char** text) = nullptr;
  Result (*get_error_string)(Result result, const char** text) = nullptr;
  Result (*device_get_count)(int* count) = nullptr;
  Result (*device_get)(Number* number, int ordinal) = nullptr;
  Result (*device_get_name)(char* name, int bytes, Number number) = nullptr;
  Result (*device_total_mem)(std::size_t* bytes, Number number) = nullptr;
  Result (*device_get_attribute)(int* value, int attribute, Number number) = nullptr;
  Result (*primary_retain)(ContextHandle* context, Number number) = nullptr;
  Result (*primary_release)(Number number) = nullptr;
  Result (*push_current)(ContextHandle context) = nullptr;
  Result (*pop_current)(ContextHandle* context) = nullptr;
  Result (*mem_get_info)(std::size_t* free_bytes, std::size_t* total_bytes) = nullptr;
  Result (*mem_alloc)(Address* address, std::size_t bytes) = nullptr;
  Result (*mem_free)(Address address) = nullptr;
  Result (*mem_host_alloc)(void** data, std::size_t bytes, unsigned flags) = nullptr;
  Result (*mem_free_host)(void* data) = nullptr;
  Result (*copy_to_device)(Address to, const void* from, std::size_t bytes, StreamHandle stream) = nullptr;
  Result (*copy_to_host)(void* to, Address from, std::size_t bytes, StreamHandle stream) = nullptr;
  Result (*copy_on_device)(Address to, Address from, std::size_t bytes, StreamHandle stream) = nullptr;
  Result (*stream_create)(StreamHandle* stream, unsigned flags) = nullptr;
  Result (*stream_synchronize)(StreamHandle stream) = nullptr;
  Result (*stream_destroy)(StreamHandle stream) = nullptr;
  Result (*event_create)(EventHandle* event, unsigned flags) = nullptr;
  Result (*event_record)(EventHandle event, StreamHandle stream) = nullptr;
  Result (*event_synchronize)(EventHandle event) = nullptr;
  Result (*event_destroy)(EventHandle event) = nullptr;
  Result (*module_load)(ModuleHandle* module, const void* image, unsigned options, int* names, void** values) = nullptr;
  Result (*module_unload)(ModuleHandle module) = nullptr;
  Result (*module_get_function)(FunctionHandle* function, ModuleHandle module, const char* name) = nullptr;
  Result (*launch_kernel)(FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned width, unsigned height,
                          unsigned depth, unsigned shared_bytes, StreamHandle stream, void** arguments, void** extra) = nullptr;

  // Older drivers may lack these: null then.
  Result (*func_set_attribute)(FunctionHandle function, int attribute, int value) = nullptr;
  Result (*tensor_map_encode)(TensorMap* map, int type, std::uint32_t rank, void* address, const std::uint64_t* extents,
                              const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps, int interleave,
                              int swizzle, int l2_lines, int outside) = nullptr;
  Result (*memset_words)(Address to, unsigned value, std::size_t count, StreamHandle stream) = nullptr;
  Result (*mem_host_register)(void* data, std::size_t bytes, unsigned flags) = nullptr;
  Result (*mem_host_unregister)(void* data) = nullptr;
  Result (*mem_host_get_device_pointer)(Address* address, void* data, unsigned flags) = nullptr;
  Result (*event_elapsed)(float* milliseconds, EventHandle from, EventHandle to) = nullptr;
  bool has_calls_of_native_kernels() const {
    return func_set_attribute != nullptr && tensor_map_encode != nullptr && memset_words != nullptr;
  }
  bool has_calls_of_host_memory() const {
    return mem_host_register != nullptr && mem_host_unregister != nullptr && mem_host_get_device_pointer != nullptr;
  }
};

/// The driver, loaded and initialised by the first call; null where there is none, or none that works or has all that none may lack.
/// Lock-free; a driver that was loaded stays for the life of the process.
const Driver* driver();

/// CUDA's name and words for a result: "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
std::string text_of(const Driver& driver, Result result);

/// After such a result every further call on the context fails: the device is lost to this process.
bool is_final(Result result);

}  // namespace ab::device::cuda
