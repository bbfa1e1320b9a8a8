// SPDX-License-Identifier: MIT
// golden/products.json on every device present: each class, each moduli family, whole and in blocks, by every way into ops.
#include "support/golden.hpp"

#include <gtest/gtest.h>

#include "device/registry.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

void expect_golden(ops::Context& context, const GoldenProduct& golden, const ops::Choices& choices) {
  for (const Way way : all_ways) {
    if (!exists(way, golden.call)) continue;
    const Ran ran = run_call(context, golden.call, way, choices);
    EXPECT_EQ(difference_of_run(golden.call, golden.expect.at(choices.precision), ran, choices), "")
        << word_of(choices.precision) << " way " << static_cast<int>(way) << " family " << static_cast<int>(*choices.family) << " cap "
        << choices.cap_bytes;
  }
}

class Golden : public testing::TestWithParam<ModuliFamily> {};

TEST_P(Golden, EveryProductInEveryClassByEveryWay) {
  for (int device = 0; device < device::count(); ++device) {
    SCOPED_TRACE(device::traits_of(device).id);
    for (const GoldenProduct& golden : golden_products()) {
      for (const Precision precision : device_classes) expect_golden(context_of(device), golden, choices_for(precision, GetParam()));
    }
  }
}

TEST_P(Golden, EveryProductUnderTheSmallestCap) {  // blocks of 64 rows, 64 columns, 1024 terms: most of these are one block all the same
  for (int device = 0; device < device::count(); ++device) {
    SCOPED_TRACE(device::traits_of(device).id);
    for (const GoldenProduct& golden : golden_products()) {
      for (const Precision precision : device_classes) {
        ops::Choices choices = choices_for(precision, GetParam());
        choices.cap_bytes = 0;
        choices.may_exceed_cap = true;
        expect_golden(context_of(device), golden, choices);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Family, Golden, testing::Values(ModuliFamily::Int8, ModuliFamily::Ten),
                         [](const auto& info) { return info.param == ModuliFamily::Int8 ? "int8" : "ten"; });

}  // namespace
}  // namespace ab::test
