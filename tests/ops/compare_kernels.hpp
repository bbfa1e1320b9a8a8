// SPDX-License-Identifier: MIT
// Native kernels of a device against the common ones: the same product, the same scan, on two contexts of it.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "ops/scan_now.hpp"
#include "support/data.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {

struct Contexts {
  Context& native;
  Context& common;
};

struct Conditions {
  Choices choices;
  test::Way way;
};

struct OpenedDevice {
  OpenedDevice(std::unique_ptr<device::Device> opened, std::uint64_t cap_bytes)
      : device(std::move(opened)), context(std::make_unique<Context>(1, *device, cap_bytes)) {}
  std::unique_ptr<device::Device> device;
  std::unique_ptr<Context> context;
};

/// The same bits of C and reports, whatever the blocks.
inline void expect_same_products(const Contexts& contexts, const test::Recipe& recipe, const Conditions& conditions, test::Random& random) {
  const auto& [choices, way] = conditions;
  const test::Call call = make_call(recipe, random);
  if (!exists(way, call)) return;
  Choices plain = choices;
  plain.cap_bytes = -1;
  const test::Ran expected = run_call(contexts.common, call, way, plain), got = run_call(contexts.native, call, way, choices);
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

/// The same records and profiles.
inline void expect_same_scans(const Contexts& contexts, const test::Recipe& recipe, test::Random& random) {
  const test::Call call = make_call(recipe, random);
  std::vector<Scan> scans;
  for (Context* context : {&contexts.common, &contexts.native}) {
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
  ASSERT_TRUE(std::ranges::equal(scans[0].profiles, scans[1].profiles)) << recipe.family << " " << call.m << " by " << call.k;
}

inline test::Recipe random_recipe(const test::Shape& shape, test::Random& random) {
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

inline Choices random_choices(test::Random& random) {
  const Precision classes[] = {Precision::Fast, Precision::Fp64, Precision::Strict};
  Choices choices = test::choices_for(classes[random.below(3)]);
  choices.cap_bytes = random.below(3) == 0 ? 0 : Index{1} << 30;
  choices.may_exceed_cap = true;
  return choices;
}

/// A device, opened with its native kernels and with the common ones.
class KernelPair {
 protected:
  void expect_same(const test::Recipe& recipe, const Choices& choices, test::Way way, test::Random& random) {
    expect_same_products({*native_->context, *common_->context}, recipe, {choices, way}, random);
  }
  /// Of every family of data, by every way.
  void expect_same_small_products(int count, Choices (*choose)(test::Random&), test::Random& random) {
    for (int t = 0; t < count && !testing::Test::HasFailure(); ++t) {
      const auto size = [&](std::uint64_t most) { return static_cast<Index>(1 + random.below(1 + random.below(most))); };
      const test::Recipe recipe = random_recipe({size(90), size(90), size(300)}, random);
      const Choices choices = choose(random);
      expect_same(recipe, choices, test::all_ways[random.below(test::all_ways.size())], random);
    }
  }
  std::unique_ptr<OpenedDevice> native_, common_;
};

}  // namespace ab::ops
