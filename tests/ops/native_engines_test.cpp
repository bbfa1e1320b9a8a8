// SPDX-License-Identifier: MIT
// Native kernels of the cpu device against the common ones: the same bits of C, reports, records and profiles, over odd shapes, every
// family of data, strides, blocks. Each engine that this machine has runs; the others are skipped by name.
#include <gtest/gtest.h>

#include <string_view>

#include "device/cpu/cpu_device.hpp"
#include "device/cpu/native/engines.hpp"
#include "ops/compare_kernels.hpp"

namespace ab::ops {
namespace {

struct Named {
  CpuKernels kernels;
  const char* name;
};
constexpr Named engines[] = {{CpuKernels::Amx, "amx"}, {CpuKernels::Vnni, "vnni"}, {CpuKernels::Avx2, "avx2"}, {CpuKernels::Neon, "neon"}};

/// Whether this machine has just that engine, not a later one.
bool is_here(const Named& engine) {
  const device::native::Engine* const chosen = device::native::choose_engine(engine.kernels, device::native::Permission::Ask);
  return chosen != nullptr && std::string_view(chosen->features)
                                  .starts_with(engine.kernels == CpuKernels::Amx    ? "amx"
                                               : engine.kernels == CpuKernels::Vnni ? "avx512"
                                                                                    : engine.name);
}

struct Opened {
  std::unique_ptr<device::Device> device;
  std::unique_ptr<Context> context;
  explicit Opened(CpuKernels kernels)
      : device(device::open_cpu_with(kernels)), context(std::make_unique<Context>(0, *device, std::uint64_t{1} << 31)) {}
};

class NativeEngine : public testing::TestWithParam<Named> {
 protected:
  void SetUp() override {
    if (!is_here(GetParam())) GTEST_SKIP() << "skipped: no " << GetParam().name << " here";
    native_ = std::make_unique<Opened>(GetParam().kernels);
    common_ = std::make_unique<Opened>(CpuKernels::Common);
  }

  void expect_same(const test::Recipe& recipe, const Choices& choices, test::Way way, test::Random& random) {
    expect_same_products({*native_->context, *common_->context}, recipe, {choices, way}, random);
  }

  std::unique_ptr<Opened> native_, common_;
};

TEST_P(NativeEngine, ThousandsOfSmallProducts) {
  test::Random random(901);
  for (int t = 0; t < 4000 && !HasFailure(); ++t) {
    const auto size = [&](std::uint64_t most) { return static_cast<Index>(1 + random.below(1 + random.below(most))); };
    const test::Recipe recipe = random_recipe({size(90), size(90), size(300)}, random);
    expect_same(recipe, random_choices(random), test::all_ways[random.below(test::all_ways.size())], random);
  }
}

TEST_P(NativeEngine, SizesAroundEveryTile) {
  test::Random random(902);
  for (const Index m : {1, 15, 16, 17, 31, 32, 33, 48, 65}) {
    for (const Index n : {1, 15, 16, 17, 31, 32, 33, 47, 64}) {
      for (const Index k : {1, 7, 63, 64, 65, 128, 191}) {
        test::Recipe recipe = random_recipe({m, n, k}, random);
        recipe.family = "uniform";
        recipe.edit = nullptr;
        expect_same(recipe, random_choices(random), test::Way::ResidentPrivate, random);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(NativeEngine, LongSums) {
  test::Random random(903);
  for (const Index k : {1000, 1024, 1025, 2047, 4096, 4097, 5000, 8192, 9001, 20000, 70000, 140000}) {
    for (const char* family : {"uniform", "one-sided", "integers"}) {
      test::Recipe recipe = random_recipe({static_cast<Index>(1 + random.below(20)), static_cast<Index>(1 + random.below(20)), k}, random);
      recipe.family = family;
      recipe.edit = nullptr;
      expect_same(recipe, random_choices(random), test::Way::ResidentPrivate, random);
      if (HasFailure()) return;
    }
  }
}

TEST_P(NativeEngine, MiddleSizes) {
  test::Random random(904);
  for (int t = 0; t < 12 && !HasFailure(); ++t) {
    const auto size = [&] { return static_cast<Index>(100 + random.below(600)); };
    expect_same(random_recipe({size(), size(), size()}, random), random_choices(random), test::Way::Adopted, random);
  }
}

TEST_P(NativeEngine, RecordsAndProfiles) {
  test::Random random(905);
  for (int t = 0; t < 600 && !HasFailure(); ++t) {
    const auto size = [&](std::uint64_t most) { return static_cast<Index>(1 + random.below(1 + random.below(most))); };
    const test::Recipe recipe = random_recipe({size(60), 1, t % 20 == 0 ? size(20000) : size(400)}, random);
    expect_same_scans({*native_->context, *common_->context}, recipe, random);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, NativeEngine, testing::ValuesIn(engines), [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ab::ops
