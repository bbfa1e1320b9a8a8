// SPDX-License-Identifier: MIT
// The device text, executed: OpenCL's form of every kernel gives the bits of the cpu device in every class and moduli family.
#include <gtest/gtest.h>

#include "device/self_test.hpp"
#include "kernels/broken/tables.hpp"
#include "kernels/broken_texts.hpp"
#include "kernels/opencl_device.hpp"
#include "ops/product_test.hpp"
#include "support/golden_table.hpp"

namespace ab::test {
namespace {

constexpr std::uint64_t cap_bytes = std::uint64_t{64} << 20;

class OpenCl : public testing::TestWithParam<FusedMultiplyAdd> {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_opencl(); !why.empty()) GTEST_SKIP() << "skipped: " << why;
    device_ = open_opencl({.fma = GetParam(), .options = ""});
  }
  std::unique_ptr<device::Device> device_;
};

TEST_P(OpenCl, PassesTheSelfTest) {
  EXPECT_EQ(device::self_test(*device_), "") << device_->traits().name;
}

TEST_P(OpenCl, PassesTheProductTest) {
  ops::Context context(0, *device_, cap_bytes);
  EXPECT_EQ(ops::test_products(context), "") << device_->traits().name;
}

TEST_P(OpenCl, PrintsTheGoldenHashesOfTheCpu) {
  ops::Context context(0, *device_, cap_bytes);
  const std::string fma = GetParam() == FusedMultiplyAdd::Hardware ? "" : ", fma in integers";
  EXPECT_EQ(print_golden_hashes(context, "OpenCL on " + device_->traits().name + fma), print_golden_hashes(context_of(0), "cpu"));
}

/// What the start-up checks say of a device; "" when it passes.
std::string verdict_on(device::Device& device) {
  std::string reason = device::self_test(device);
  if (!reason.empty()) return reason;
  ops::Context context(0, device, cap_bytes);
  return ops::test_products(context);
}

class BrokenOpenCl : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_opencl(); !why.empty()) GTEST_SKIP() << "skipped: " << why;
  }
};

TEST_F(BrokenOpenCl, FastMathIsCaught) {
  const std::unique_ptr<device::Device> device = open_opencl({.options = opencl_fast_math});
  EXPECT_NE(device::self_test(*device), "");
}

TEST_F(BrokenOpenCl, AnFmaThatRoundsTwiceIsCaught) {
  const auto unfused = [](const std::string&, const std::string& text) { return "#define fma(a, b, c) ((a) * (b) + (c))\n" + text; };
  const std::unique_ptr<device::Device> device = open_opencl({.options = "", .edit = unfused});
  EXPECT_TRUE(device::self_test(*device).starts_with("fused multiply-add of FP32")) << device::self_test(*device);
}

class MissingBarriers : public BrokenOpenCl, public testing::WithParamInterface<const char*> {};

TEST_P(MissingBarriers, AreCaught) {
  bool changed = false;
  const auto edit = [&](const std::string& name, const std::string& text) {
    if (name != GetParam()) return text;
    const std::string broken = without_barriers(text);
    changed = broken != text;
    return broken;
  };
  const std::unique_ptr<device::Device> device = open_opencl({.options = "", .edit = edit});
  EXPECT_NE(verdict_on(*device), "");
  EXPECT_TRUE(changed);
}

INSTANTIATE_TEST_SUITE_P(Kernel, MissingBarriers, testing::Values("scan", "modular_gemm_i8", "modular_gemm_f32", "gemm_dd"),
                         [](const auto& info) { return info.param; });

INSTANTIATE_TEST_SUITE_P(Fma, OpenCl, testing::Values(FusedMultiplyAdd::Hardware, FusedMultiplyAdd::Soft),
                         [](const auto& info) { return info.param == FusedMultiplyAdd::Hardware ? "hardware" : "soft"; });

}  // namespace
}  // namespace ab::test
