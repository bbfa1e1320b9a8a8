// SPDX-License-Identifier: MIT
#include "device/cuda/cublas.hpp"

#include <cstdlib>
#include <thread>
#include <vector>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/prototypes.hpp"
#include "sim/cuda/fake.hpp"
#include "sim/cuda/fake_cublas_control.hpp"
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#endif

namespace ab::device::cuda {

#if __has_include(<cublas_v2.h>)
template <>
struct Plain<cuDoubleComplex*> {
  using Type = double*;
};
template <>
struct Plain<const cuDoubleComplex*> {
  using Type = const double*;
};
#endif

namespace {

using test::fake_cublas;

#if __has_include(<cublas_v2.h>)
static_assert(agree<decltype(cublasCreate_v2), decltype(Cublas::create)>);
static_assert(agree<decltype(cublasDestroy_v2), decltype(Cublas::destroy)>);
static_assert(agree<decltype(cublasSetStream_v2), decltype(Cublas::set_stream)>);
static_assert(agree<decltype(cublasSetMathMode), decltype(Cublas::set_math_mode)>);
static_assert(agree<decltype(cublasDgemm_v2), decltype(Cublas::dgemm)>);
static_assert(agree<decltype(cublasZgemm_v2), decltype(Cublas::zgemm)>);
static_assert(cublas_success == CUBLAS_STATUS_SUCCESS && cublas_alloc_failed == CUBLAS_STATUS_ALLOC_FAILED);
static_assert(cublas_default_math == CUBLAS_DEFAULT_MATH && cublas_pedantic_math == CUBLAS_PEDANTIC_MATH);
static_assert(int{CUBLAS_OP_N} == static_cast<int>(Op::None) && int{CUBLAS_OP_T} == static_cast<int>(Op::Transpose) &&
              int{CUBLAS_OP_C} == static_cast<int>(Op::ConjugateTranspose));
#endif

class CudaCublas : public test::OnFakeDriver {
 protected:
  void TearDown() override {
    fake_cublas().fail_at(0, 0);
    EXPECT_EQ(fake_cublas().handles(), 0);
    OnFakeDriver::TearDown();
  }
  static Status status_of_loading() {
    try {
      open_cuda(0)->load({fp64_product_name});
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind("cuda:0: cublas", 0), 0u) << error.what();
      return error.status();
    }
    return Status::Ok;
  }
  // Of 2 x 2 matrices of twos and threes.
  static std::vector<double> multiply(Device& device) {
    const std::unique_ptr<Kernel> kernel = device.load({fp64_product_name});
    const std::unique_ptr<Queue> queue = device.open_queue();
    std::vector<std::unique_ptr<Memory>> memory;
    for (const double value : {2.0, 3.0, 1.0}) {
      memory.push_back(device.allocate(4 * sizeof(double)));
      const std::vector<double> words(4, value);
      queue->write(*memory.back(), 0, std::as_bytes(std::span(words)));
    }
    const Fp64Product product{.m = 2,
                              .n = 2,
                              .k = 2,
                              .lda = 2,
                              .ldb = 2,
                              .ldc = 2,
                              .op_a = Op::None,
                              .op_b = Op::Transpose,
                              .words = 1,
                              .alpha = {1, 0},
                              .beta = {-1, 0}};
    const auto bytes = std::as_bytes(std::span(&product, 1));
    const std::array<Argument, 4> arguments = {Slice{memory[0].get()}, Slice{memory[1].get()}, Slice{memory[2].get()}, bytes};
    queue->launch(*kernel, {}, arguments);
    std::vector<double> c(4);
    queue->read(*memory[2], 0, std::as_writable_bytes(std::span(c)));
    return c;
  }
};

TEST_F(CudaCublas, IsLoadedOnceWhoeverAsks) {
  std::vector<const Cublas*> found(8);
  std::vector<std::thread> threads;
  for (const Cublas*& cublas_found : found) threads.emplace_back([&] { cublas_found = cublas(*driver()); });
  for (std::thread& thread : threads) thread.join();
  ASSERT_NE(found[0], nullptr);
  for (const Cublas* other : found) EXPECT_EQ(other, found[0]);
}

TEST_F(CudaCublas, MultipliesInItsOwnFp64) {
  const std::unique_ptr<Device> device = open_cuda(0);
  EXPECT_TRUE(device->traits().fp64_product);
  EXPECT_EQ(multiply(*device), std::vector<double>(4, 11));
  EXPECT_EQ(fake_cublas().last_product().math_mode, cublas_default_math);
  setenv("CUBLAS_EMULATE_DOUBLE_PRECISION", "1", 1);
  EXPECT_EQ(multiply(*device), std::vector<double>(4, 11));
  EXPECT_EQ(fake_cublas().last_product().math_mode, cublas_pedantic_math);
  unsetenv("CUBLAS_EMULATE_DOUBLE_PRECISION");
}

TEST_F(CudaCublas, WhatDoesNotWorkIsAsGoodAsMissing) {
  EXPECT_EQ(status_of_loading(), Status::Ok);
  for (const long call : {1, 2}) {  // cublasCreate, cublasSetMathMode
    fake_cublas().fail_at(call, test::cublas_not_initialized);
    EXPECT_EQ(status_of_loading(), Status::ShaderCompile);
    fake_cublas().fail_at(call, test::cublas_no_memory);
    EXPECT_EQ(status_of_loading(), Status::AllocFailed);
  }
}

TEST_F(CudaCublas, AFailureIsAnError) {
  const std::unique_ptr<Device> device = open_cuda(0);
  for (const long call : {3, 4}) {  // cublasSetStream, cublasDgemm
    fake_cublas().fail_at(call, test::cublas_execution_failed);
    try {
      multiply(*device);
      ADD_FAILURE() << "call " << call;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::KernelFailed);
      EXPECT_NE(std::string(error.what()).find("failed with status 13"), std::string::npos) << error.what();
    }
    EXPECT_EQ(fake_cublas().handles(), 0);
  }
}

}  // namespace
}  // namespace ab::device::cuda
