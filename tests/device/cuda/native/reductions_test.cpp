// SPDX-License-Identifier: MIT
// On a GPU only: the reductions of the native kernels over everything that can come.
#include "device/cuda/native/reductions_image.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "device/cuda/native/constants.hpp"
#include "device/cuda/primary_context.hpp"

namespace ab::device::cuda::native {
namespace {

class CudaReductions : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (driver() == nullptr || driver()->device_get_count(&count) != success || count == 0) GTEST_SKIP() << "skipped: no GPU";
    context_ = std::make_unique<PrimaryContext>(*driver(), 0);
    current_ = std::make_unique<Current>(*context_);
    if (driver()->module_load(&module_, reductions_image, 0, nullptr, nullptr) != success) GTEST_SKIP() << "skipped: another kind of GPU";
    context_->check(driver()->stream_create(&stream_, stream_non_blocking), "cuStreamCreate");
    context_->check(driver()->mem_alloc(&wrong_, 8), "cuMemAlloc");
    void* pinned = nullptr;
    context_->check(driver()->mem_host_alloc(&pinned, 8, 0), "cuMemHostAlloc");
    count_ = static_cast<std::uint64_t*>(pinned);
  }
  void TearDown() override {
    if (count_ != nullptr) {
      driver()->stream_synchronize(stream_);
      driver()->mem_free_host(count_);
      driver()->mem_free(wrong_);
      driver()->stream_destroy(stream_);
    }
    if (module_ != nullptr) driver()->module_unload(module_);
    current_.reset();
    context_.reset();
  }
  // What the function counts as wrong.
  template <class Modulus, class Count>
  std::uint64_t wrong(const char* name, Modulus modulus, int m, Count count) {
    FunctionHandle function = nullptr;
    context_->check(driver()->module_get_function(&function, module_, name), "cuModuleGetFunction");
    context_->check(driver()->memset_words(wrong_, 0, 2, stream_), "cuMemsetD32Async");
    void* arguments[] = {&modulus, &m, &count, &wrong_};
    context_->check(driver()->launch_kernel(function, 132 * 8, 1, 1, 256, 1, 1, 0, stream_, arguments, nullptr), "cuLaunchKernel");
    context_->check(driver()->copy_to_host(count_, wrong_, 8, stream_), "cuMemcpyDtoHAsync");
    context_->check(driver()->stream_synchronize(stream_), "cuStreamSynchronize");
    return *count_;
  }

  std::unique_ptr<PrimaryContext> context_;
  std::unique_ptr<Current> current_;
  ModuleHandle module_ = nullptr;
  StreamHandle stream_ = nullptr;
  Address wrong_ = 0;
  std::uint64_t* count_ = nullptr;
};

TEST_F(CudaReductions, EveryInt32ByBytes) {
  for (const int m : moduli_list) {
    if (m == 256) continue;
    EXPECT_EQ(wrong("check_sums", product_modulus(m, 131073), m, std::int64_t{1} << 31), 0u) << m;
  }
}

TEST_F(CudaReductions, EverySumThatTheFloatReductionMayMeet) {
  int checked = 0;
  for (const Index terms : {128, 1024, 2048, 4096, 8192, 16384, 65536, 131072}) {
    for (const int m : moduli_list) {
      const ProductModulus c = product_modulus(m, terms + 1);
      if (c.reduction != Reduction::Float) continue;
      EXPECT_EQ(wrong("check_sums", c, m, (terms + 1) * (m / 2) * (m / 2)), 0u) << m << " with " << terms << " terms";
      ++checked;
    }
  }
  EXPECT_GT(checked, 40);
}

TEST_F(CudaReductions, ManyScaledIntegers) {
  for (const int m : moduli_list) EXPECT_EQ(wrong("check_residues", residue_modulus(m), m, std::uint64_t{1} << 26), 0u) << m;
}

}  // namespace
}  // namespace ab::device::cuda::native
