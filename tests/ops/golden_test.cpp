// SPDX-License-Identifier: MIT
// golden/products.json on every device present: each class, each moduli family, whole and in blocks, by every way into ops.
#include "support/golden.hpp"

#include <gtest/gtest.h>

#include "device/registry.hpp"
#include "ops/split.hpp"
#include "support/faulty_device.hpp"
#include "support/golden_table.hpp"

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

TEST(GoldenProducts, HaveOneTableOfHashes) {
  const std::string table = print_golden_hashes(context_of(0), device::traits_of(0).id);
  for (int device = 1; device < device::count(); ++device) {
    const device::Traits& traits = device::traits_of(device);
    EXPECT_EQ(print_golden_hashes(context_of(device), traits.id + " " + traits.name), table);
  }
}

// On a device beside the cpu: shared with it, and packed by it.
template <Scalar T>
ops::SplitOutcome run_shared(ops::Context& other, const Call& call, std::vector<double>& c, const ops::Choices& choices) {
  return ops::gemm_split(context_of(0), other, problem_of<T>(call, c), choices, call.n / 2);
}

TEST_P(Golden, EveryProductSharedWithTheCpuOrPackedByIt) {
  for (int device = 1; device < device::count(); ++device) {
    SCOPED_TRACE(device::traits_of(device).id);
    for (const GoldenProduct& golden : golden_products()) {
      const Call& call = golden.call;
      if (call.kind != Kind::Gemm) continue;
      for (const Precision precision : device_classes) {
        ops::Choices choices = choices_for(precision, GetParam());
        const std::vector<double>& expected = golden.expect.at(precision).c;
        if (call.n >= 2) {
          std::vector<double> c = call.c;
          const ops::SplitOutcome shared = call.type == Type::Real ? run_shared<double>(context_of(device), call, c, choices)
                                                                   : run_shared<Complex>(context_of(device), call, c, choices);
          EXPECT_FALSE(shared.outcome.declined || shared.other_declined);
          EXPECT_EQ(difference(call, expected, c), "") << word_of(precision) << ", shared";
        }
        choices.host_pack = true;
        const Ran packed = run_call(context_of(device), call, Way::Copied, choices);
        EXPECT_EQ(packed.error, "");
        EXPECT_EQ(difference(call, expected, packed.c), "") << word_of(precision) << ", packed";
      }
    }
  }
}

TEST(GoldenProducts, CatchKernelsThatComputeWrongly) {
  const std::byte bit{1};
  for (const WrongResult& wrong :
       {WrongResult{"residues_i8", 5, 0, bit}, WrongResult{"modular_gemm_i8", 3, 0, bit}, WrongResult{"modular_gemm_f32", 3, 0, bit},
        WrongResult{"reconstruct_i8", 5, 72, bit}, WrongResult{"gemm_dd", 2, 2, bit}, WrongResult{"ieee_gemm", 4, 72, bit}}) {
    FaultyDevice device(device::open(0));
    ops::Context context(0, device, std::uint64_t{1} << 26);
    device.compute_wrongly(wrong);
    int caught = 0, launched = 0;
    for (const GoldenProduct& golden : golden_products()) {
      for (const ModuliFamily family : device_families) {
        const Precision precision = wrong.kernel == "gemm_dd" ? Precision::DoubleFloat : Precision::Fp64;
        device.fail_at(0);
        const Ran ran = run_call(context, golden.call, Way::Resident, choices_for(precision, family));
        if (device.launches_of(wrong.kernel) == 0) continue;
        ++launched;
        caught += difference_of_run(golden.call, golden.expect.at(precision), ran, choices_for(precision, family)).empty() ? 0 : 1;
      }
    }
    EXPECT_GT(launched, 0) << wrong.kernel;
    EXPECT_GE(2 * caught, launched) << wrong.kernel;  // the changed byte may lie outside of a triangle or of C
  }
}

INSTANTIATE_TEST_SUITE_P(Family, Golden, testing::Values(ModuliFamily::Int8, ModuliFamily::Ten),
                         [](const auto& info) { return info.param == ModuliFamily::Int8 ? "int8" : "ten"; });

}  // namespace
}  // namespace ab::test
