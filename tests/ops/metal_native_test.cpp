// SPDX-License-Identifier: MIT
// Native kernels of Metal devices against the common ones on the same device: the same bits of C and reports over odd shapes, every
// family of data, strides, blocks. On the simulator with fewer and smaller products.
#include "device/metal/metal_device.hpp"
#include "ops/compare_kernels.hpp"

namespace ab::ops {
namespace {

std::unique_ptr<OpenedDevice> open_with(GpuKernels kernels) {
  return std::make_unique<OpenedDevice>(device::open_metal_with(0, kernels), std::uint64_t{1} << 31);
}

class MetalNative : public testing::Test, protected KernelPair {
 protected:
  void SetUp() override {
    const std::vector<device::Traits> found = device::describe_metal();
    if (found.empty()) GTEST_SKIP() << "skipped: no Metal device";
    simulated_ = found[0].name.starts_with("Simulated");
    native_ = open_with(GpuKernels::Best);
    if (native_->device->traits().features.find("native") == std::string::npos) {
      GTEST_SKIP() << "skipped: no native kernels for " << found[0].features;
    }
    common_ = open_with(GpuKernels::Common);
  }
  // Classes that native kernels serve; blocks of k now and then.
  static Choices native_choices(test::Random& random) {
    const Precision classes[] = {Precision::DoubleFloat, Precision::Fast, Precision::Fp64, Precision::Strict};
    Choices choices = test::choices_for(classes[random.below(4)], ModuliFamily::Ten);
    choices.cap_bytes = random.below(4) == 0 ? 0 : Index{1} << 30;
    choices.may_exceed_cap = true;
    return choices;
  }
  bool simulated_ = false;
};

TEST_F(MetalNative, ManySmallProducts) {
  test::Random random(921);
  expect_same_small_products(simulated_ ? 150 : 3000, native_choices, random);
}

TEST_F(MetalNative, SizesAroundEveryTile) {
  test::Random random(922);
  const std::vector<Index> all = {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257, 480, 481, 513};
  for (const Index m : all) {
    for (const Index n : all) {
      if (simulated_ && random.below(12) != 0) continue;
      const Index inner[] = {1, 15, 16, 17, 63, 64, 65, 127, 128, 129};
      test::Recipe recipe = random_recipe({m, n, inner[random.below(simulated_ && m * n > 10000 ? 5 : 10)]}, random);
      recipe.family = "uniform";
      expect_same(recipe, native_choices(random), test::Way::ResidentPrivate, random);
      if (HasFailure()) return;
    }
  }
}

TEST_F(MetalNative, EveryVariantOfTheDoubleFloatTiles) {
  test::Random random(923);
  for (const test::Shape& shape : {test::Shape{481, 130, 20}, test::Shape{30, 500, 70}, test::Shape{140, 20, 33}, test::Shape{2600, 17, 5},
                                   test::Shape{40, 40, 100}}) {
    for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
      test::Recipe recipe;
      recipe.family = "uniform", recipe.shape = shape, recipe.type = type, recipe.alpha = {1, 0};
      expect_same(recipe, test::choices_for(Precision::DoubleFloat), test::Way::ResidentPrivate, random);
      recipe.edit = [](test::Matrices& x) { tilt(x, -45, -45); };  // four products, one with the right operand first
      if (type == test::Type::Complex) expect_same(recipe, test::choices_for(Precision::DoubleFloat), test::Way::ResidentPrivate, random);
    }
  }
}

TEST_F(MetalNative, LongSums) {
  test::Random random(924);
  for (const Index k : {1000, 4096, 4097, 20000}) {
    for (const char* family : {"uniform", "one-sided", "integers"}) {
      test::Recipe recipe;
      recipe.family = family, recipe.shape = {3, 2, k}, recipe.alpha = {1, 0};
      expect_same(recipe, test::choices_for(Precision::Strict, ModuliFamily::Ten), test::Way::ResidentPrivate, random);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace ab::ops
