// SPDX-License-Identifier: MIT
// Native kernels of Vulkan devices against the common ones on the same device: the same bits of C and reports over odd shapes, every
// family of data, strides, blocks. On a software renderer with fewer and smaller products.
#include "device/registry.hpp"
#include "device/vulkan/vulkan_device.hpp"
#include "ops/compare_kernels.hpp"

namespace ab::ops {
namespace {

std::unique_ptr<OpenedDevice> open_with(GpuKernels kernels) {
  return std::make_unique<OpenedDevice>(device::open_vulkan_with(0, kernels), std::uint64_t{1} << 29);
}

class VulkanNative : public testing::Test, protected KernelPair {
 protected:
  void SetUp() override {
    const std::vector<device::Traits> found = device::describe_vulkan();
    if (found.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
    software_ = found[0].features.starts_with("software");
    native_ = open_with(GpuKernels::Best);
    common_ = open_with(GpuKernels::Common);
    const std::string& features = native_->device->traits().features;
    if (features == common_->device->traits().features) GTEST_SKIP() << "skipped: no native kernels on " << found[0].name;
  }
  bool software_ = false;
};

// Blocks of k now and then.
Choices native_choices(test::Random& random) {
  const Precision classes[] = {Precision::Fast, Precision::Fp64, Precision::Strict};
  Choices choices = test::choices_for(classes[random.below(3)], ModuliFamily::Int8);
  choices.cap_bytes = random.below(4) == 0 ? 0 : Index{1} << 28;
  choices.may_exceed_cap = true;
  return choices;
}

TEST_F(VulkanNative, ManySmallProducts) {
  test::Random random(931);
  expect_same_small_products(software_ ? 20 : 2000, native_choices, random);
}

TEST_F(VulkanNative, SizesAroundEveryTile) {
  test::Random random(932);
  const std::vector<Index> all = {1, 3, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 257};
  for (const Index m : all) {
    for (const Index n : all) {
      if (software_ && random.below(24) != 0) continue;
      const Index inner[] = {1, 15, 63, 64, 65, 127, 128, 129, 500};
      test::Recipe recipe = random_recipe({m, n, inner[random.below(software_ ? 5 : 9)]}, random);
      recipe.family = "uniform";
      expect_same(recipe, native_choices(random), test::Way::ResidentPrivate, random);
      if (HasFailure()) return;
    }
  }
}

// Software renderers leave loops after some rounds: sums of many terms in every class, and in order, as the cpu device makes them.
TEST_F(VulkanNative, ThousandsOfTerms) {
  Context cpu(0, device::open(0), std::uint64_t{1} << 29);
  test::Random random(934);
  for (const Precision precision : test::device_classes) {
    for (const char* family : {"one-sided", "overflow"}) {  // overflow: sums in order
      test::Recipe recipe;
      recipe.family = family, recipe.shape = {3, 2, 9000};
      const test::Call call = make_call(recipe, random);
      const Choices choices = test::choices_for(precision, ModuliFamily::Int8);
      const test::Ran expected = run_call(cpu, call, test::Way::Resident, choices);
      const test::Ran got = run_call(*native_->context, call, test::Way::Resident, choices);
      ASSERT_EQ(std::memcmp(got.c.data(), expected.c.data(), got.c.size() * sizeof(double)), 0) << family << " " << word_of(precision);
    }
  }
}

// More terms than 32 bits hold the sums of. Mesa's lavapipe leaves loops too early for them.
TEST_F(VulkanNative, LongSums) {
  if (software_) GTEST_SKIP() << "skipped: a software renderer";
  test::Random random(933);
  for (const Index k : {65535, 65536, 65537, 140000}) {
    test::Recipe recipe;
    recipe.family = "one-sided", recipe.shape = {3, 2, k}, recipe.alpha = {1, 0};
    expect_same(recipe, test::choices_for(Precision::Strict, ModuliFamily::Int8), test::Way::ResidentPrivate, random);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace ab::ops
