// SPDX-License-Identifier: MIT
// The start-up checks find every break they are there for: each broken kernel, alone among right ones, is caught.
#include <gtest/gtest.h>

#include "device/self_test.hpp"
#include "kernels/broken/tables.hpp"
#include "kernels/host_device.hpp"
#include "ops/gemm.hpp"
#include "ops/open_device.hpp"
#include "ops/product_test.hpp"

namespace ab::test {
namespace {

using kernels::HostKernel;
constexpr std::uint64_t cap_bytes = std::uint64_t{64} << 20;

/// 2^40 + w^2 + 64 v^2 with powers of two of which one pair has residues 1 and 512 modulo 1023, whatever the shift: 512 is -511, and
/// as 512 it takes a sum of 64 products out of the integers that FP32 has (7.3).
std::string test_extreme_residues(ops::Context& context) {
  constexpr Index terms = 128;
  ops::Choices choices;
  choices.family = ModuliFamily::Ten;
  for (int j = 0; j < 10; ++j) {
    const double v = 1 << j, w = 1 << (j + 1) % 10, largest = 1 << 20;
    std::vector<double> a(terms, 0.0);
    a[0] = largest;
    a[1] = w;
    std::fill(a.begin() + 64, a.end(), v);
    double c = 0.0;
    const GemmProblem<double> problem{1, 1, terms, 1.0, {a.data(), 1, Op::None}, {a.data(), terms, Op::None}, 0.0, {&c, 1}};
    ops::gemm(context, problem, choices);
    if (c != largest * largest + w * w + 64.0 * v * v) return "extreme residues: wrong product";
  }
  return "";
}

/// What the checks say of a device; "" when it passes.
std::string verdict_on(device::Device& device) {
  std::string reason = device::self_test(device);
  if (!reason.empty()) return reason;
  ops::Context context(0, device, cap_bytes);
  reason = ops::test_products(context);
  return reason.empty() ? test_extreme_residues(context) : reason;
}

/// Each kernel of `broken` alone, the others right.
std::vector<std::string> verdicts_on(const HostKernel* broken) {
  std::vector<std::string> verdicts;
  for (; broken->name != nullptr; ++broken) {
    const HostKernel alone[] = {*broken, {nullptr, nullptr}};
    HostDevice device({alone, kernels::host_kernels_base});
    verdicts.push_back(std::string(broken->name) + ": " + verdict_on(device));
  }
  return verdicts;
}

struct Break {
  const char* name;
  const HostKernel* kernels;
  std::vector<std::string> expected;  // how the verdict on each kernel begins
};

void PrintTo(const Break& broken, std::ostream* out) {
  *out << broken.name;
}

class Broken : public testing::TestWithParam<Break> {};

TEST_P(Broken, IsCaughtInEachKernel) {
#if defined(__x86_64__)
  if (GetParam().name == std::string("contracted") && !__builtin_cpu_supports("fma")) GTEST_SKIP() << "skipped: no fused units";
#endif
  const std::vector<std::string> verdicts = verdicts_on(GetParam().kernels);
  ASSERT_EQ(verdicts.size(), GetParam().expected.size());
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    EXPECT_TRUE(verdicts[i].starts_with(GetParam().expected[i])) << verdicts[i] << "\nexpected: " << GetParam().expected[i];
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Broken,
    testing::Values(
        Break{"contracted", kernels::host_kernels_contracted, {"self_test: two_sum of a product (contracted?)"}},
        Break{"fast_math", kernels::host_kernels_fast_math, {"gemm_dd: product", "self_test: "}},
        Break{"unfused", kernels::host_kernels_unfused, {"gemm_dd: product", "self_test: fused multiply-add of FP32"}},
        Break{"wrong_modulus",
              kernels::host_kernels_wrong_modulus,
              {"modular_gemm_i8: product", "modular_gemm_i8_3m: product", "modular_gemm_f32: product", "modular_gemm_f32_3m: product"}},
        Break{"dropped_modulus", kernels::host_kernels_dropped_modulus, {"reconstruct_i8: product", "reconstruct_i16: product"}},
        Break{"no_barriers_scan", kernels::host_kernels_no_barriers_scan, {"scan: product", "peaks: product"}},
        Break{"no_barriers_i8", kernels::host_kernels_no_barriers_i8, {"modular_gemm_i8: ", "modular_gemm_i8_3m: product"}},
        Break{"no_barriers_f32", kernels::host_kernels_no_barriers_f32, {"modular_gemm_f32: product", "modular_gemm_f32_3m: product"}},
        Break{"no_barriers_dd", kernels::host_kernels_no_barriers_dd, {"gemm_dd: product"}},
        Break{"residue_512", kernels::host_kernels_residue_512, {"residues_half: extreme residues"}},
        Break{"truncation", kernels::host_kernels_truncation, {"residues_i8: product", "residues_half: product"}}),
    [](const auto& info) { return info.param.name; });

TEST(SelfTest, PassesOnRightKernels) {
  HostDevice base({kernels::host_kernels_base});
  EXPECT_EQ(verdict_on(base), "");
}

TEST(SelfTest, PassesWithTheIntegerFma) {
  HostDevice soft({kernels::host_kernels_soft_fma, kernels::host_kernels_base});
  EXPECT_EQ(verdict_on(soft), "");
}

}  // namespace
}  // namespace ab::test
