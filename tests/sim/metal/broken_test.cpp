// SPDX-License-Identifier: MIT
// Kernels broken on purpose, and what Metal does by default, are caught on the simulator by the start-up checks of a device.
#include <regex>

#include "device/metal/kernel_texts.hpp"
#include "device/metal/metal_device.hpp"
#include "device/self_test.hpp"
#include "ops/context.hpp"
#include "ops/product_test.hpp"
#include "sim/metal/on_simulator.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

using BrokenMetal = OnSimulator;

/// What the start-up checks say of the device with texts as they are now; "" when it passes.
std::string verdict(GpuKernels kernels = GpuKernels::Best) {
  const std::unique_ptr<device::Device> device = device::open_metal_with(0, kernels);
  std::string reason = device::self_test(*device);
  if (!reason.empty()) return reason;
  ops::Context context(0, *device, std::uint64_t{1} << 26);
  return ops::test_products(context);
}

std::string text_of(const char* name) {
  return device::metal::find_text(name)->text;
}

// Edits one text; the test fails when there is nothing to edit.
void spoil(const char* kernel, const std::regex& pattern, const std::string& replacement) {
  ASSERT_TRUE(std::regex_search(text_of(kernel), pattern)) << kernel;
  metal::edit_texts(
      [=](const std::string& text) { return text == text_of(kernel) ? std::regex_replace(text, pattern, replacement) : text; });
}

TEST_F(BrokenMetal, NothingIsSaidOfTheRightOnes) {
  for (const unsigned seed : {1u, 77u, 12345u}) {
    metal::set_seed(seed);
    EXPECT_EQ(verdict(), "") << seed;
  }
}

// Before macOS 15 the options alone keep a text from fast math; from then on its own words do, too.
TEST_F(BrokenMetal, DefaultOptionsAreCaughtOrDoNothing) {
  metal::ignore_compile_options(true);
  EXPECT_EQ(verdict(), "");
  metal::set_limits({.has_math_mode = false});
  EXPECT_NE(verdict(), "");
}

TEST_F(BrokenMetal, ContractionIsCaught) {  // clang fuses no product that is used twice, another compiler may
  spoil("self_test", std::regex("float sum = \\(\\(product\\) \\+ \\(z\\)\\);"), "float sum = fma(x, y, z);");
  EXPECT_NE(verdict(), "");
}

TEST_F(BrokenMetal, AnFmaThatRoundsTwiceIsCaught) {
  metal::edit_texts([](const std::string& text) {
    const std::string unfused =
        "using namespace metal;\nstatic inline float rounded_twice(float a, float b, float c) { float p = a * b; return p + c; }\n#define "
        "fma rounded_twice\n";
    return std::regex_replace(text, std::regex("using namespace metal;"), unfused);
  });
  EXPECT_TRUE(verdict().starts_with("fused multiply-add of FP32")) << verdict();
}

// Without barriers the scan counts at an index that nobody has written: it shall be wrong, not write elsewhere.
std::string without_barriers(const std::string& text) {
  static const std::regex barrier("threadgroup_barrier\\(mem_flags::mem_threadgroup\\);"), count("if \\(bin < 96 && ");
  return std::regex_replace(std::regex_replace(text, barrier, ""), count, "if (bin < 96 && bin >= 0 && ");
}

void take_barriers_out_of(const char* kernel) {
  ASSERT_NE(text_of(kernel).find("threadgroup_barrier"), std::string::npos) << kernel;
  metal::edit_texts([=](const std::string& text) { return text == text_of(kernel) ? without_barriers(text) : text; });
}

TEST_F(BrokenMetal, MissingBarriersAreCaught) {
  for (const char* kernel : {"scan", "modular_gemm_i8", "gemm_dd_32x32_ahead", "product_f32", "product_f32_3m"}) {
    take_barriers_out_of(kernel);
    EXPECT_NE(verdict(), "") << kernel;
    metal::forget_violations();  // lanes no longer keep together
  }
  for (const char* kernel : {"modular_gemm_f32", "gemm_dd"}) {
    take_barriers_out_of(kernel);
    EXPECT_NE(verdict(GpuKernels::Common), "") << kernel;
  }
}

TEST_F(BrokenMetal, WrongModuliAreCaught) {
  for (const char* kernel : {"modular_gemm_i8", "product_f32", "product_f32_3m"}) {
    spoil(kernel, std::regex("uint m = table\\[l \\* 20u\\];"), "uint m = table[l * 20u] - (l == 5u ? 2u : 0u);");
    EXPECT_NE(verdict(), "") << kernel;
  }
}

TEST_F(BrokenMetal, AWrongReductionIsCaught) {
  spoil("product_f32", std::regex("return fma\\(-quotient, m, x\\);"), "return x - quotient;");
  EXPECT_NE(verdict(), "");
}

TEST_F(BrokenMetal, LanesThatAreThoughtToHoldKnownElementsAreCaught) {
  const std::string as_on_one_chip =
      "results[(column0 + 8u * (e / 8u) + thread_index % 4u * 2u) * 72u + 8u * (e % 8u) + thread_index % 32u / 4u] = "
      "sums[e].thread_elements()[0];";
  spoil("product_f32", std::regex("simdgroup_store\\(sums\\[e\\], .*true\\);"), as_on_one_chip);
  EXPECT_NE(verdict(), "");
}

}  // namespace
}  // namespace ab::test
