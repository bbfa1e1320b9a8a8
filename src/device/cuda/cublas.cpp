// SPDX-License-Identifier: MIT
#include "device/cuda/cublas.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "core/process.hpp"
#include "device/cuda/entry_points.hpp"

namespace ab::device::cuda {
namespace {

bool find_calls(void* library, Cublas& c) {
  return find(library, "cublasCreate_v2", c.create) && find(library, "cublasDestroy_v2", c.destroy) &&
         find(library, "cublasSetStream_v2", c.set_stream) && find(library, "cublasSetMathMode", c.set_math_mode) &&
         find(library, "cublasDgemm_v2", c.dgemm) && find(library, "cublasZgemm_v2", c.zgemm);
}

enum class Search : int { Loaded = RTLD_NOLOAD, Installed = 0 };

// An empty table when this version is not there, or not complete.
Cublas open_version(int major, Search search) {
  const std::string name = "libcublas.so." + std::to_string(major);
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | static_cast<int>(search));
  if (library == nullptr) return {};
  Cublas calls;
  if (find_calls(library, calls)) return calls;
  dlclose(library);
  return {};
}

// A driver serves the versions up to its own. One that the program has loaded already comes first.
Cublas open_best(const Driver& driver) {
  constexpr int newest = 13, oldest = 11;  // that have these calls
  constexpr int versions_per_major = 1000;
  int version = 0;
  if (driver.driver_get_version(&version) != success) return {};
  const LoadingLibrary loading;
  for (const Search search : {Search::Loaded, Search::Installed}) {
    for (int major = std::min(newest, version / versions_per_major); major >= oldest; --major) {
      const Cublas found = open_version(major, search);
      if (found.create != nullptr) return found;
    }
  }
  return {};
}

const Cublas& require_cublas(const PrimaryContext& context) {
  const Cublas* const found = cublas(context.driver());
  if (found == nullptr) throw Error(Status::ShaderCompile, context.id() + ": there is no cuBLAS here that this driver can serve");
  return *found;
}

bool emulation_is_the_default() {
  const char* const asked = std::getenv("CUBLAS_EMULATE_DOUBLE_PRECISION");
  return asked != nullptr && std::string(asked) != "0";
}

}  // namespace

const Cublas* cublas(const Driver& driver) {
  static constinit std::atomic<const Cublas*> published{nullptr};  // as driver() does
  const Cublas* found = published.load(std::memory_order_acquire);
  if (found == nullptr) {
    auto loaded = std::make_unique<const Cublas>(open_best(driver));
    if (published.compare_exchange_strong(found, loaded.get(), std::memory_order_acq_rel)) found = loaded.release();
  }
  return found->create != nullptr ? found : nullptr;
}

CublasProducts::CublasProducts(std::shared_ptr<PrimaryContext> context) : context_(std::move(context)), cublas_(require_cublas(*context_)) {
  const Current current(*context_);
  check(cublas_.create(&handle_), "cublasCreate", Status::ShaderCompile);
  const CublasStatus status = cublas_.set_math_mode(handle_, emulation_is_the_default() ? cublas_pedantic_math : cublas_default_math);
  if (status != cublas_success) cublas_.destroy(handle_);
  check(status, "cublasSetMathMode", Status::ShaderCompile);
}

CublasProducts::~CublasProducts() {
  const CurrentForRelease current(*context_);
  if (current) cublas_.destroy(handle_);
}

void CublasProducts::multiply(std::span<const Address> matrices, std::span<const std::byte> params, StreamHandle stream) {
  Fp64Product p{};
  assert(matrices.size() == 3 && params.size() == sizeof p);
  std::memcpy(&p, params.data(), sizeof p);
  const auto words_at = [](Address address) { return reinterpret_cast<double*>(address); };
  const bool real = p.words == 1;
  const std::scoped_lock lock(mutex_);
  check(cublas_.set_stream(handle_, stream), "cublasSetStream", Status::KernelFailed);
  const CublasStatus status = (real ? cublas_.dgemm : cublas_.zgemm)(handle_, static_cast<int>(p.op_a), static_cast<int>(p.op_b), p.m, p.n,
                                                                     p.k, p.alpha, words_at(matrices[0]), p.lda, words_at(matrices[1]),
                                                                     p.ldb, p.beta, words_at(matrices[2]), p.ldc);
  check(status, real ? "cublasDgemm" : "cublasZgemm", Status::KernelFailed);
}

void CublasProducts::check(CublasStatus status, const char* call, Status failure) const {
  if (status == cublas_success) return;
  throw Error(status == cublas_alloc_failed ? Status::AllocFailed : failure,
              context_->id() + ": " + call + " failed with status " + std::to_string(status));
}

}  // namespace ab::device::cuda
