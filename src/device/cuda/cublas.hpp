// SPDX-License-Identifier: MIT
// cuBLAS, found when a product of its own is first wanted: own declarations of what the backend calls, as for the driver.
// tests/device/cuda compares them with cublas_v2.h where there is one.
#pragma once
#include <memory>
#include <mutex>
#include <span>

#include "device/cuda/primary_context.hpp"
#include "device/fp64_product.hpp"

struct cublasContext;

namespace ab::device::cuda {

using CublasStatus = int;  // cublasStatus_t
using CublasHandle = cublasContext*;
inline constexpr CublasStatus cublas_success = 0, cublas_alloc_failed = 3;
// cublasMath_t. The default is IEEE FP64 on whatever unit the device has for it; the other one excludes emulation by integers, which a
// variable of cuBLAS's own can make the default.
inline constexpr int cublas_default_math = 0, cublas_pedantic_math = 2;

/// Entries are words: a complex number is two. Sizes in 32 bits do: what is larger is on no device.
using CublasGemm = CublasStatus(CublasHandle handle, int op_a, int op_b, int m, int n, int k, const double* alpha, const double* a, int lda,
                                const double* b, int ldb, const double* beta, double* c, int ldc);

struct Cublas {
  CublasStatus (*create)(CublasHandle* handle) = nullptr;
  CublasStatus (*destroy)(CublasHandle handle) = nullptr;
  CublasStatus (*set_stream)(CublasHandle handle, StreamHandle stream) = nullptr;
  CublasStatus (*set_math_mode)(CublasHandle handle, int mode) = nullptr;
  CublasGemm* dgemm = nullptr;
  CublasGemm* zgemm = nullptr;
};

/// The newest cuBLAS that this driver can serve, opened by the first call; null where there is none, or none with all of these.
/// Lock-free; a library that was opened stays for the life of the process.
const Cublas* cublas(const Driver& driver);

/// A handle of cuBLAS on a context, which it keeps open.
class CublasProducts {
 public:
  /// Throws Error: ShaderCompile where cuBLAS is missing or does not work, AllocFailed, NoDevice.
  explicit CublasProducts(std::shared_ptr<PrimaryContext> context);
  CublasProducts(const CublasProducts&) = delete;
  CublasProducts& operator=(const CublasProducts&) = delete;
  ~CublasProducts();

  /// Enqueues the product, with the context current; `params` is an Fp64Product, the matrices are A, B and C. Throws Error: KernelFailed,
  /// AllocFailed; C may then hold anything.
  void multiply(std::span<const Address> matrices, std::span<const std::byte> params, StreamHandle stream);

 private:
  void check(CublasStatus status, const char* call, Status failure) const;
  const std::shared_ptr<PrimaryContext> context_;
  const Cublas& cublas_;
  std::mutex mutex_;  // one stream at a time
  CublasHandle handle_ = nullptr;
};

}  // namespace ab::device::cuda
