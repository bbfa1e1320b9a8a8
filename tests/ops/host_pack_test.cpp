// SPDX-License-Identifier: MIT
// The host-pack path: same bits, and nothing but multiplications on the device.
#include "ops/host_pack.hpp"

#include <gtest/gtest.h>

#include "device/registry.hpp"
#include "support/data.hpp"
#include "support/faulty_device.hpp"
#include "support/golden.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

class HostPack : public testing::Test {
 protected:
  HostPack() : device_(device::open_packer()) {
    device_.has_own_memory();
    context_ = std::make_unique<Context>(1, device_, std::uint64_t{1} << 26);
  }
  test::FaultyDevice device_;
  std::unique_ptr<Context> context_;
};

TEST_F(HostPack, GoldenProductsHaveTheirBits) {
  for (const test::GoldenProduct& golden : test::golden_products()) {
    if (golden.call.kind != test::Kind::Gemm) continue;
    for (const Precision precision : test::device_classes) {
      for (const ModuliFamily family : test::device_families) {
        Choices choices = test::choices_for(precision, family);
        choices.host_pack = true;
        device_.fail_at(0);
        const test::Ran ran = run_call(*context_, golden.call, test::Way::Copied, choices);
        ASSERT_EQ(ran.error, "");
        EXPECT_EQ(difference(golden.call, golden.expect.at(precision).c, ran.c), "") << word_of(precision);
        EXPECT_TRUE(ran.others_kept);
        for (const char* kernel : {"scan", "peaks", "residues_i8", "residues_half", "reconstruct_i8", "reconstruct_i16", "pack_dd",
                                   "unpack_dd", "ieee_gemm", "scale_result"}) {
          EXPECT_EQ(device_.launches_of(kernel), 0) << kernel;
        }
        const bool on_device = device_.launches_of("modular_gemm_i8") + device_.launches_of("modular_gemm_i8_3m") +
                                   device_.launches_of("modular_gemm_f32") + device_.launches_of("modular_gemm_f32_3m") +
                                   device_.launches_of("gemm_dd") >
                               0;
        EXPECT_EQ(ran.outcome.report.engine, on_device ? Engine::Device : Engine::Host);
        EXPECT_EQ(ran.outcome.report.device, on_device ? 1 : -1);
      }
    }
  }
}

TEST_F(HostPack, BlocksHaveTheSameBits) {
  test::Random random(95);
  test::Recipe recipe;
  recipe.shape = {130, 140, 1100}, recipe.transa = Op::Transpose, recipe.beta = {0.5, 0};
  const test::Call call = make_call(recipe, random);
  for (const Precision precision : {Precision::DoubleFloat, Precision::Fp64}) {
    const test::Ran whole = run_call(*context_, call, test::Way::Adopted, test::choices_for(precision));
    Choices choices = test::choices_for(precision);
    choices.host_pack = true;
    choices.cap_bytes = 2 << 20;
    device_.fail_at(0);
    const test::Ran ran = run_call(*context_, call, test::Way::Adopted, choices);
    EXPECT_FALSE(ran.outcome.declined);
    EXPECT_EQ(difference(call, whole.c, ran.c), "");
    EXPECT_GT(device_.launches_of(precision == Precision::Fp64 ? "modular_gemm_i8" : "gemm_dd"), 1);
    choices.cap_bytes = 0;
    EXPECT_TRUE(run_call(*context_, call, test::Way::Adopted, choices).outcome.declined);
  }
}

TEST_F(HostPack, WhateverFailsLeavesCAlone) {
  test::Random random(96);
  test::Recipe recipe;
  recipe.shape = {3, 4, 9}, recipe.beta = {0.5, 0};
  const test::Call call = make_call(recipe, random);
  Choices choices = test::choices_for(Precision::Fp64);
  choices.host_pack = true;
  Index n = 0, errors = 0;
  test::Ran ran;
  do {
    device_.fail_at(++n);
    ran = run_call(*context_, call, test::Way::Adopted, choices);
    if (ran.error.empty()) continue;
    ++errors;
    EXPECT_EQ(difference(call, call.c, ran.c), "");
  } while (device_.calls() >= n && n < 1000);
  EXPECT_GE(errors, 2);
  EXPECT_EQ(difference(call, judge(call, Precision::Fp64).c, ran.c), "");
}

}  // namespace
}  // namespace ab::ops
