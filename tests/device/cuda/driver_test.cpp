// SPDX-License-Identifier: MIT
#include "device/cuda/driver.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "device/cuda/prototypes.hpp"
#include "sim/cuda/fake.hpp"
#if __has_include(<cuda.h>)
#include <cuda.h>
#endif

namespace ab::device::cuda {
namespace {

#if __has_include(<cuda.h>)
static_assert(agree<decltype(cuInit), decltype(Driver::init)>);
static_assert(agree<decltype(cuDriverGetVersion), decltype(Driver::driver_get_version)>);
static_assert(agree<decltype(cuGetErrorName), decltype(Driver::get_error_name)>);
static_assert(agree<decltype(cuGetErrorString), decltype(Driver::get_error_string)>);
static_assert(agree<decltype(cuDeviceGetCount), decltype(Driver::device_get_count)>);
static_assert(agree<decltype(cuDeviceGet), decltype(Driver::device_get)>);
static_assert(agree<decltype(cuDeviceGetName), decltype(Driver::device_get_name)>);
static_assert(agree<decltype(cuDeviceTotalMem), decltype(Driver::device_total_mem)>);
static_assert(agree<decltype(cuDeviceGetAttribute), decltype(Driver::device_get_attribute)>);
static_assert(agree<decltype(cuDevicePrimaryCtxRetain), decltype(Driver::primary_retain)>);
static_assert(agree<decltype(cuDevicePrimaryCtxRelease), decltype(Driver::primary_release)>);
static_assert(agree<decltype(cuCtxPushCurrent), decltype(Driver::push_current)>);
static_assert(agree<decltype(cuCtxPopCurrent), decltype(Driver::pop_current)>);
static_assert(agree<decltype(cuMemGetInfo), decltype(Driver::mem_get_info)>);
static_assert(agree<decltype(cuMemAlloc), decltype(Driver::mem_alloc)>);
static_assert(agree<decltype(cuMemFree), decltype(Driver::mem_free)>);
static_assert(agree<decltype(cuMemHostAlloc), decltype(Driver::mem_host_alloc)>);
static_assert(agree<decltype(cuMemHostRegister), decltype(Driver::mem_host_register)>);
static_assert(agree<decltype(cuMemHostUnregister), decltype(Driver::mem_host_unregister)>);
static_assert(agree<decltype(cuMemHostGetDevicePointer), decltype(Driver::mem_host_get_device_pointer)>);
static_assert(host_register_device_map == CU_MEMHOSTREGISTER_DEVICEMAP);
static_assert(agree<decltype(cuMemFreeHost), decltype(Driver::mem_free_host)>);
static_assert(agree<decltype(cuMemcpyHtoDAsync), decltype(Driver::copy_to_device)>);
static_assert(agree<decltype(cuMemcpyDtoHAsync), decltype(Driver::copy_to_host)>);
static_assert(agree<decltype(cuMemcpyDtoDAsync), decltype(Driver::copy_on_device)>);
static_assert(agree<decltype(cuStreamCreate), decltype(Driver::stream_create)>);
static_assert(agree<decltype(cuStreamSynchronize), decltype(Driver::stream_synchronize)>);
static_assert(agree<decltype(cuStreamDestroy), decltype(Driver::stream_destroy)>);
static_assert(agree<decltype(cuEventCreate), decltype(Driver::event_create)>);
static_assert(agree<decltype(cuEventRecord), decltype(Driver::event_record)>);
static_assert(agree<decltype(cuEventSynchronize), decltype(Driver::event_synchronize)>);
static_assert(agree<decltype(cuEventDestroy), decltype(Driver::event_destroy)>);
static_assert(agree<decltype(cuModuleLoadDataEx), decltype(Driver::module_load)>);
static_assert(agree<decltype(cuModuleUnload), decltype(Driver::module_unload)>);
static_assert(agree<decltype(cuModuleGetFunction), decltype(Driver::module_get_function)>);
static_assert(agree<decltype(cuLaunchKernel), decltype(Driver::launch_kernel)>);
static_assert(agree<decltype(cuFuncSetAttribute), decltype(Driver::func_set_attribute)>);
static_assert(agree<decltype(cuMemsetD32Async), decltype(Driver::memset_words)>);
static_assert(agree<decltype(cuEventElapsedTime), decltype(Driver::event_elapsed)>);
// Of the tensor map, only sizes and words: the types of its integers have other names.
static_assert(sizeof(TensorMap) == sizeof(CUtensorMap) && alignof(TensorMap) >= alignof(CUtensorMap));  // 64 before CUDA 13
static_assert(sizeof(cuuint64_t) == sizeof(std::uint64_t) && sizeof(cuuint32_t) == sizeof(std::uint32_t));
static_assert(tensor_bytes == CU_TENSOR_MAP_DATA_TYPE_UINT8 && tensor_not_interleaved == CU_TENSOR_MAP_INTERLEAVE_NONE);
static_assert(tensor_swizzle_128 == CU_TENSOR_MAP_SWIZZLE_128B && tensor_l2_lines_256 == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
static_assert(tensor_zeros_outside == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
static_assert(most_dynamic_shared_bytes == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(success == CUDA_SUCCESS && out_of_memory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(int{MultiprocessorCount} == int{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT});
static_assert(int{CapabilityMajor} == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR});
static_assert(int{CapabilityMinor} == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR});
static_assert(int{ErrorLogBuffer} == int{CU_JIT_ERROR_LOG_BUFFER} && int{ErrorLogBufferBytes} == int{CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES});
static_assert(stream_non_blocking == CU_STREAM_NON_BLOCKING && event_disable_timing == CU_EVENT_DISABLE_TIMING);

TEST(CudaDriver, FinalResultsAreThoseAfterWhichAContextIsUseless) {
  for (const Result result : {CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_ECC_UNCORRECTABLE, CUDA_ERROR_NVLINK_UNCORRECTABLE,
                              CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_ASSERT,
                              CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_ILLEGAL_INSTRUCTION, CUDA_ERROR_MISALIGNED_ADDRESS,
                              CUDA_ERROR_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_PC, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_UNKNOWN}) {
    EXPECT_TRUE(is_final(result)) << result;
  }
  for (const Result result : {CUDA_SUCCESS, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_FOUND,
                              CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_NO_BINARY_FOR_GPU}) {
    EXPECT_FALSE(is_final(result)) << result;
  }
}
#endif

TEST(CudaDriver, IsLoadedOnceWhoeverAsks) {
  std::vector<const Driver*> found(8);
  std::vector<std::thread> threads;
  for (const Driver*& driver_found : found) threads.emplace_back([&] { driver_found = driver(); });
  for (std::thread& thread : threads) thread.join();
  ASSERT_NE(found[0], nullptr);
  for (const Driver* other : found) EXPECT_EQ(other, found[0]);
}

TEST(CudaDriver, SaysWhatAResultMeans) {
  ASSERT_NE(driver(), nullptr);
  EXPECT_EQ(text_of(*driver(), out_of_memory), "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  Driver speechless = *driver();
  speechless.get_error_string = [](Result, const char**) { return test::invalid_value; };
  EXPECT_EQ(text_of(speechless, out_of_memory), "CUDA_ERROR_OUT_OF_MEMORY");
  speechless.get_error_name = [](Result, const char**) { return test::invalid_value; };
  EXPECT_EQ(text_of(speechless, 12345), "CUDA error 12345");
}

}  // namespace
}  // namespace ab::device::cuda
