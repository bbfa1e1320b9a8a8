// SPDX-License-Identifier: MIT
// The device text, executed: OpenCL's form of every kernel gives the bits of the cpu device in every class and moduli family.
#include <gtest/gtest.h>

#include <cstdio>

#include "device/self_test.hpp"
#include "kernels/broken/tables.hpp"
#include "kernels/opencl_device.hpp"
#include "ops/product_test.hpp"
#include "support/golden.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

constexpr std::array<ModuliFamily, 2> families = {ModuliFamily::Int8, ModuliFamily::Ten};
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

std::uint64_t hash_of(std::uint64_t hash, const std::vector<double>& values) {  // FNV-1a over words
  for (const double value : values) hash = (hash ^ word_of(value)) * 0x100000001B3u;
  return hash;
}

/// Runs every golden product of a class and family; differences from the file fail the test. Returns one hash of all results.
std::uint64_t run_golden(ops::Context& context, Precision precision, ModuliFamily family) {
  ops::Choices choices;
  choices.precision = precision;
  choices.family = family;
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const GoldenProduct& golden : golden_products()) {
    const Ran ran = run_call(context, golden.call, Way::Resident, choices);
    EXPECT_EQ(difference_of_run(golden.call, golden.expect.at(precision), ran, choices), "") << word_of(precision);
    hash = hash_of(hash, ran.c);
  }
  return hash;
}

TEST_P(OpenCl, PrintsTheGoldenTableOfTheCpu) {
  ops::Context context(0, *device_, cap_bytes);
  std::printf("%-8s %-6s %-18s %s\n", "class", "family", "cpu", device_->traits().name.c_str());
  for (const Precision precision : all_classes) {
    if (!is_available(precision)) continue;
    for (const ModuliFamily family : families) {
      const std::uint64_t expected = run_golden(context_of(0), precision, family), got = run_golden(context, precision, family);
      EXPECT_EQ(got, expected);
      std::printf("%-8s %-6s %016llx   %016llx\n", word_of(precision), family == ModuliFamily::Int8 ? "int8" : "ten",
                  static_cast<unsigned long long>(expected), static_cast<unsigned long long>(got));
    }
  }
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

/// Takes every barrier out of a kernel's text. What the scan then finds in local memory is its index into the histogram: kept inside.
std::string without_barriers(std::string text) {
  const std::string barrier = "barrier(CLK_LOCAL_MEM_FENCE);";
  for (std::size_t at = 0; (at = text.find(barrier, at)) != std::string::npos;) text.erase(at, barrier.size());
  const std::string bin = "if (bin < 96 && ";
  if (const std::size_t at = text.find(bin); at != std::string::npos) text.insert(at + bin.size(), "bin >= 0 && ");
  return text;
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
