// SPDX-License-Identifier: MIT
// Native kernels of CUDA devices against the common ones on the same device: the same bits of C, reports, records and profiles, over odd
// shapes, every family of data, strides, blocks. On a fake driver the kernels' text runs on the host, with fewer and smaller products.
#include "device/cuda/cuda_device.hpp"
#include "ops/compare_kernels.hpp"

namespace ab::ops {
namespace {

std::unique_ptr<OpenedDevice> open_with(GpuKernels kernels) {
  return std::make_unique<OpenedDevice>(device::open_cuda_with(0, kernels), std::uint64_t{1} << 31);
}

class CudaNative : public testing::TestWithParam<GpuKernels>, protected KernelPair {
 protected:
  void SetUp() override {
    const std::vector<device::Traits> found = device::describe_cuda();
    if (found.empty()) GTEST_SKIP() << "skipped: no GPU";
    faked_ = found[0].name.starts_with("Fake");
    native_ = open_with(GetParam());
    if (native_->device->traits().product_scratch_bytes == 0) GTEST_SKIP() << "skipped: no native kernels for " << found[0].features;
    common_ = open_with(GpuKernels::Common);
    ASSERT_EQ(common_->device->traits().product_scratch_bytes, 0u);
  }
  test::Recipe uniform_recipe(const test::Shape& shape, test::Random& random) {
    test::Recipe recipe = random_recipe(shape, random);
    recipe.family = "uniform";
    recipe.edit = nullptr;
    return recipe;
  }

  bool faked_ = false;
};

Choices fused_choices(test::Random& random) {
  Choices choices = random_choices(random);
  choices.cap_bytes = Index{1} << 30;
  return choices;
}

TEST_P(CudaNative, OneSmallProduct) {
  test::Random random(910);
  test::Recipe recipe;
  recipe.family = "uniform", recipe.shape = {5, 7, 70}, recipe.alpha = {1, 0};
  expect_same(recipe, fused_choices(random), test::Way::ResidentPrivate, random);
}

TEST_P(CudaNative, ThousandsOfSmallProducts) {
  test::Random random(911);
  expect_same_small_products(faked_ ? 150 : 3000, random_choices, random);
}

// Results by rows, and parts of complex ones apart: C's memory holds them as well, without padding.
TEST_P(CudaNative, ResultsOfEveryLayout) {
  test::Random random(920);
  const auto size = [&] { return static_cast<Index>(1 + random.below(faked_ ? 150 : 600)); };
  for (int t = 0; t < (faked_ ? 40 : 400) && !HasFailure(); ++t) {
    test::Recipe recipe = uniform_recipe({size(), size(), size()}, random);
    if (t % 2 == 0) recipe.alpha = {1, 0}, recipe.beta = {0, 0};
    const test::Call call = make_call(recipe, random);
    const bool by_rows = random.below(2) == 0, apart = call.parts() == 2 && random.below(2) == 0;
    const Choices choices = fused_choices(random);
    std::vector<test::Ran> ran;
    for (Context* context : {native_->context.get(), common_->context.get()}) {
      const test::ResidentCall resident(*context, call);
      Product product = resident.product();
      const Index words = apart ? 1 : call.parts();
      product.c.row_stride = by_rows ? call.n * words : words;
      product.c.column_stride = by_rows ? words : call.m * words;
      if (apart) product.c.parts[1].offset = product.c.parts[0].offset + static_cast<std::size_t>(call.m * call.n) * sizeof(double);
      EXPECT_FALSE(multiply(*context, product, choices).declined);
      ran.push_back(resident.read_back());
    }
    EXPECT_EQ(std::memcmp(ran[0].c.data(), ran[1].c.data(), ran[0].c.size() * sizeof(double)), 0)
        << call.m << "x" << call.n << "x" << call.k << (by_rows ? " by rows" : " by columns") << (apart ? ", parts apart" : "");
  }
}

TEST_P(CudaNative, SizesAroundEveryTile) {
  test::Random random(912);
  const std::vector<Index> all = {1, 15, 63, 64, 65, 127, 128, 129, 191, 193, 255, 256, 257, 300, 385, 513};
  for (const Index m : all) {
    for (const Index n : all) {
      if (faked_ && random.below(40) != 0) continue;
      const Index inner[] = {1, 7, 63, 64, 65, 127, 128, 129, 191, 300};
      expect_same(uniform_recipe({m, n, inner[random.below(10)]}, random), fused_choices(random), test::Way::ResidentPrivate, random);
      if (HasFailure()) return;
    }
  }
}

TEST_P(CudaNative, LongSums) {
  test::Random random(913);
  const Index most = !faked_ ? 262145 : GetParam() == GpuKernels::Best ? 140000 : 4097;  // what the fake driver does in time
  for (const Index k : {1000, 1023, 1024, 1025, 2047, 4097, 8191, 8192, 8193, 9001, 16385, 70000, 131071, 131072, 131073, 140000, 262145}) {
    for (const char* family : {"uniform", "one-sided", "integers"}) {
      if (k > most || (faked_ && random.below(3) != 0)) continue;
      test::Recipe recipe = uniform_recipe({static_cast<Index>(1 + random.below(20)), static_cast<Index>(1 + random.below(20)), k}, random);
      recipe.family = family;
      expect_same(recipe, fused_choices(random), test::Way::ResidentPrivate, random);
      if (HasFailure()) return;
    }
  }
}

// Scratch for a part of the result only.
TEST_P(CudaNative, Panels) {
  test::Random random(914);
  for (int t = 0; t < (faked_ ? 6 : 60) && !HasFailure(); ++t) {
    const auto size = [&] { return static_cast<Index>(1 + random.below(faked_ ? 400 : 2000)); };
    Choices choices = random_choices(random);
    choices.cap_bytes = (Index{1} << 24) + static_cast<Index>(random.below(std::uint64_t{1} << (faked_ ? 25 : 27)));
    expect_same(uniform_recipe({size(), size(), static_cast<Index>(1 + random.below(200))}, random), choices, test::Way::ResidentPrivate,
                random);
  }
}

TEST_P(CudaNative, MiddleSizes) {
  test::Random random(915);
  for (int t = 0; t < (faked_ ? 2 : 60) && !HasFailure(); ++t) {
    const auto size = [&] { return static_cast<Index>(100 + random.below(faked_ ? 100 : 900)); };
    expect_same(random_recipe({size(), size(), size()}, random), random_choices(random), test::Way::Adopted, random);
  }
}

// Large tiles in pairs along the rows, the lock-step, sizes that fit no tile.
TEST_P(CudaNative, LargeSizes) {
  if (faked_) GTEST_SKIP() << "skipped: too large for a fake driver";
  test::Random random(916);
  const test::Shape shapes[] = {{1023, 1025, 1024}, {1024, 1023, 1025}, {4700, 4610, 257},  {5001, 4999, 130},
                                {300, 9000, 8200},  {9100, 200, 8193},  {4609, 4700, 8200}, {6000, 4099, 64}};
  for (const test::Shape& shape : shapes) {
    test::Recipe recipe = uniform_recipe(shape, random);
    if (shape.k > 1000 && shape.m > 4000 && shape.n > 4000) recipe.type = test::Type::Real;
    Choices choices = fused_choices(random);
    choices.cap_bytes = Index{16} << 30;
    expect_same(recipe, choices, test::Way::ResidentPrivate, random);
    if (HasFailure()) return;
  }
}

// The same product again and again: what a race would spoil.
TEST_P(CudaNative, Repetitions) {
  test::Random random(917);
  for (int t = 0; t < (faked_ ? 2 : 100) && !HasFailure(); ++t) {
    test::Random same(918);
    test::Recipe recipe;
    recipe.family = "uniform", recipe.shape = {faked_ ? 60 : 700, faked_ ? 50 : 800, faked_ ? 64 : 600}, recipe.alpha = {1, 0};
    expect_same(recipe, fused_choices(random), test::Way::ResidentPrivate, same);
  }
}

TEST_P(CudaNative, RecordsAndProfiles) {
  test::Random random(919);
  for (int t = 0; t < (faked_ ? 60 : 600) && !HasFailure(); ++t) {
    const auto size = [&](std::uint64_t most) { return static_cast<Index>(1 + random.below(1 + random.below(most))); };
    const test::Recipe recipe = random_recipe({size(60), 1, t % 20 == 0 ? size(20000) : size(400)}, random);
    expect_same_scans({*native_->context, *common_->context}, recipe, random);
  }
  // Around the numbers of terms that registers hold between the passes.
  for (const Index inner : {255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2049, 4095, 4096, 4097, 8200}) {
    for (int t = 0; t < 6 && !HasFailure(); ++t)
      expect_same_scans({*native_->context, *common_->context}, random_recipe({33, 1, inner}, random), random);
  }
}

// Ampere: products by warps, whatever the device.
INSTANTIATE_TEST_SUITE_P(Kernels, CudaNative, testing::Values(GpuKernels::Best, GpuKernels::Ampere),
                         [](const auto& info) { return info.param == GpuKernels::Best ? "Best" : "Ampere"; });

}  // namespace
}  // namespace ab::ops
