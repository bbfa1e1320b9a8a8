// SPDX-License-Identifier: MIT
// Products for Oclgrind, which watches every access of every work-item and is a thousand times slower: find_races.py beside this
// file runs these under it. By themselves they show that the right texts give the golden bits.
#include <gtest/gtest.h>

#include "kernels/broken_texts.hpp"
#include "kernels/opencl_device.hpp"
#include "support/golden.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

const GoldenProduct& golden(const std::string& name) {
  for (const GoldenProduct& product : golden_products()) {
    if (product.call.name == name) return product;
  }
  throw std::runtime_error("no golden product " + name);
}

struct Product {
  const char* name;
  Precision precision;
  ModuliFamily family;
};

/// How the product differs from the golden one; "" when it does not.
std::string run(device::Device& device, const Product& product) {
  ops::Context context(0, device, std::uint64_t{1} << 26);
  const ops::Choices choices = choices_for(product.precision, product.family);
  const GoldenProduct& expected = golden(product.name);
  const Ran ran = run_call(context, expected.call, Way::Resident, choices);
  return difference_of_run(expected.call, expected.expect.at(product.precision), ran, choices);
}

class Races : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_opencl(); !why.empty()) GTEST_SKIP() << "skipped: " << why;
  }
};

class NoRace : public Races, public testing::WithParamInterface<Product> {};

TEST_P(NoRace, InOurKernels) {
  const std::unique_ptr<device::Device> device = open_opencl();
  EXPECT_EQ(run(*device, GetParam()), "");
}

// Every kernel that has local memory, real and 3M.
INSTANTIATE_TEST_SUITE_P(Products, NoRace,
                         testing::Values(Product{"d-uniform", Precision::Fast, ModuliFamily::Int8},
                                         Product{"d-uniform", Precision::Fast, ModuliFamily::Ten},
                                         Product{"d-uniform", Precision::DoubleFloat, ModuliFamily::Int8},
                                         Product{"z-uniform", Precision::Fast, ModuliFamily::Int8},
                                         Product{"z-uniform", Precision::Fast, ModuliFamily::Ten},
                                         Product{"z-uniform", Precision::DoubleFloat, ModuliFamily::Int8}),
                         [](const auto& info) { return "n" + std::to_string(info.index); });

struct Planted {
  const char* kernel;
  int barrier;  // the one that is left out
  Product product;
};

class PlantedRace : public Races, public testing::WithParamInterface<Planted> {};

// Only Oclgrind can say that there is a race; whether the bits are wrong is another question.
TEST_P(PlantedRace, IsThere) {
  bool changed = false;
  const auto edit = [&](const std::string& name, const std::string& text) {
    if (name != GetParam().kernel) return text;
    const std::string broken = without_barriers(text, GetParam().barrier);
    changed = broken.size() < text.size();
    return broken;
  };
  const std::unique_ptr<device::Device> device = open_opencl({.options = "", .edit = edit});
  run(*device, GetParam().product);
  EXPECT_TRUE(changed);
}

INSTANTIATE_TEST_SUITE_P(Kernel, PlantedRace,
                         testing::Values(Planted{"scan", 0, {"d-uniform", Precision::DoubleFloat, ModuliFamily::Int8}},
                                         Planted{"modular_gemm_i8", 1, {"d-uniform", Precision::Fast, ModuliFamily::Int8}},
                                         Planted{"modular_gemm_f32", 1, {"d-uniform", Precision::Fast, ModuliFamily::Ten}},
                                         Planted{"gemm_dd", 1, {"d-uniform", Precision::DoubleFloat, ModuliFamily::Int8}}),
                         [](const auto& info) { return info.param.kernel; });

}  // namespace
}  // namespace ab::test
