// SPDX-License-Identifier: MIT
// Native kernels of the cpu device against the common ones: the same bits of C, reports, records and profiles, over odd shapes, every
// family of data, strides, blocks. Each engine that this machine has runs; the others are skipped by name.
#include <gtest/gtest.h>

#include <cstring>

#include "device/cpu/cpu_device.hpp"
#include "device/cpu/native/engines.hpp"
#include "ops/steps.hpp"
#include "support/data.hpp"
#include "support/run_golden.hpp"

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
    const test::Call call = make_call(recipe, random);
    if (!exists(way, call)) return;
    Choices plain = choices;
    plain.cap_bytes = -1;
    const test::Ran expected = run_call(*common_->context, call, way, plain), got = run_call(*native_->context, call, way, choices);
    const auto where = [&] {
      return std::string(recipe.family) + " " + std::to_string(call.m) + "x" + std::to_string(call.n) + "x" + std::to_string(call.k) +
             (call.parts() == 2 ? " complex" : " real") + ", class " + word_of(choices.precision) + ", cap " +
             std::to_string(choices.cap_bytes) + ", way " + std::to_string(static_cast<int>(way)) + ", ops " +
             std::to_string(static_cast<int>(call.transa)) + std::to_string(static_cast<int>(call.transb));
    };
    ASSERT_EQ(got.error, expected.error) << where();
    ASSERT_EQ(std::memcmp(got.c.data(), expected.c.data(), expected.c.size() * sizeof(double)), 0) << where();
    EXPECT_EQ(test::difference_of_reports(expected.outcome.report, got.outcome.report), "") << where();
    EXPECT_TRUE(got.others_kept) << where();
  }

  test::Recipe random_recipe(const test::Shape& shape, test::Random& random) {
    test::Recipe recipe;
    recipe.family = test::data_families[random.below(test::data_families.size())];
    recipe.shape = shape;
    recipe.type = random.below(2) == 0 ? test::Type::Real : test::Type::Complex;
    const Op ops[] = {Op::None, Op::Transpose, Op::ConjugateTranspose};
    recipe.transa = ops[random.below(3)];
    recipe.transb = ops[random.below(3)];
    const Complex scalars[] = {{0, 0}, {1, 0}, {-1, 0}, {0.75, 0}, {-1.5, 0.25}};
    recipe.alpha = scalars[1 + random.below(recipe.type == test::Type::Real ? 3 : 4)];
    recipe.beta = scalars[random.below(recipe.type == test::Type::Real ? 4 : 5)];
    recipe.padding = static_cast<Index>(random.below(4));
    if (random.below(6) == 0) {
      recipe.kind = recipe.type == test::Type::Real || random.below(2) == 0 ? test::Kind::Syrk : test::Kind::Herk;
      recipe.triangle = random.below(2) == 0 ? Triangle::Upper : Triangle::Lower;
      recipe.transa = random.below(2) == 0 ? Op::None : recipe.kind == test::Kind::Herk ? Op::ConjugateTranspose : Op::Transpose;
      recipe.shape.n = recipe.shape.m;
      if (recipe.kind == test::Kind::Herk) recipe.alpha = {-1.5, 0}, recipe.beta = {recipe.beta.real(), 0};
    }
    if (recipe.type == test::Type::Complex && random.below(5) == 0) {
      recipe.edit = [](test::Matrices& x) { tilt(x, -45, -45); };  // the split form
    }
    return recipe;
  }

  Choices random_choices(test::Random& random) {
    const Precision classes[] = {Precision::Fast, Precision::Fp64, Precision::Strict};
    Choices choices = test::choices_for(classes[random.below(3)]);
    choices.cap_bytes = random.below(3) == 0 ? 0 : Index{1} << 30;
    choices.may_exceed_cap = true;
    return choices;
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
  for (int t = 0; t < 600; ++t) {
    const auto size = [&](std::uint64_t most) { return static_cast<Index>(1 + random.below(1 + random.below(most))); };
    const test::Recipe recipe = random_recipe({size(60), 1, t % 20 == 0 ? size(20000) : size(400)}, random);
    const test::Call call = make_call(recipe, random);
    std::vector<Scan> scans;
    for (Context* context : {common_->context.get(), native_->context.get()}) {
      const test::ResidentCall resident(*context, call);
      scans.push_back(scan(*context, std::span(&resident.product().left, 1), {}, HandSide::Left));
    }
    ASSERT_EQ(scans[0].records.size(), scans[1].records.size());
    for (std::size_t v = 0; v < scans[0].records.size(); ++v) {
      ASSERT_EQ(std::memcmp(&scans[0].records[v], &scans[1].records[v], sizeof(numerics::Record)), 0)
          << recipe.family << " vector " << v << " of " << call.m << " by " << call.k << " E " << scans[0].records[v].E << " "
          << scans[1].records[v].E << " nmin " << scans[0].records[v].nmin << " " << scans[1].records[v].nmin << " L "
          << scans[0].records[v].L << " " << scans[1].records[v].L << " low " << scans[0].records[v].low_re << " "
          << scans[1].records[v].low_re << " R " << scans[0].records[v].R_re << " " << scans[1].records[v].R_re;
    }
    ASSERT_EQ(scans[0].profiles, scans[1].profiles) << recipe.family << " " << call.m << " by " << call.k;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, NativeEngine, testing::ValuesIn(engines), [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ab::ops
