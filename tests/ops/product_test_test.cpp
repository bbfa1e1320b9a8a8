// SPDX-License-Identifier: MIT
#include "ops/product_test.hpp"

#include <gtest/gtest.h>

#include "device/registry.hpp"
#include "support/faulty_device.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

TEST(ProductTest, EveryDevicePresentPasses) {
  for (int i = 0; i < device::count(); ++i) EXPECT_EQ(test_products(test::context_of(i)), "") << device::traits_of(i).id;
}

TEST(ProductTest, AWrongKernelIsRefusedWithOneReason) {
  const std::byte bit{1}, sign{0x80};
  const std::vector<test::WrongResult> wrongs = {
      {"scan", 3, 0, bit},                // E of the first record
      {"scan", 4, 0, bit},                // the profile
      {"residues_i8", 5, 0, bit},         // the first residue
      {"residues_half", 3 + 2, 1, sign},  // its sign
      {"modular_gemm_i8", 3, 0, bit},
      {"modular_gemm_i8_3m", 3, 0, bit},
      {"modular_gemm_f32", 3, 0, bit},
      {"modular_gemm_f32_3m", 3, 0, bit},
      {"reconstruct_i8", 5, 0, bit},
      {"reconstruct_i16", 5, 0, bit},
      {"pack_dd", 3, 2, bit},
      {"gemm_dd", 2, 2, bit},
      {"unpack_dd", 3, 0, bit},
      {"ieee_gemm", 4, 0, bit},
  };
  for (const test::WrongResult& wrong : wrongs) {
    test::FaultyDevice device(device::open(0));
    Context context(0, device, std::uint64_t{1} << 24);
    device.compute_wrongly(wrong);
    const std::string reason = test_products(context);
    EXPECT_NE(reason, "") << wrong.kernel << " may compute wrongly unseen";
    EXPECT_EQ(reason.find('\n'), std::string::npos);
    EXPECT_GT(device.launches_of(wrong.kernel), 0) << wrong.kernel;
  }
}

TEST(ProductTest, EveryKernelOfProductsIsRun) {
  test::FaultyDevice device(device::open(0));
  Context context(0, device, std::uint64_t{1} << 30);
  device.fail_at(0);
  ASSERT_EQ(test_products(context), "");
  for (const std::string& name : device.loaded()) {
    // Steps on single words whose arithmetic the self-test kernel has proven.
    const bool elsewhere = name == "self_test" || name == "elementwise" || name == "transfer_result" || name == "scale_result";
    EXPECT_TRUE(elsewhere || device.launches_of(name) > 0) << name;
  }
}

TEST(ProductTest, ErrorsOfTheDeviceComeThrough) {
  test::FaultyDevice device(device::open(0));
  Context context(0, device, std::uint64_t{1} << 24);
  for (const Index n : {1, 10, 100, 500}) {
    context.pool().trim();
    device.fail_at(n, test::Failures::AllFromThere);
    EXPECT_THROW(test_products(context), Error) << n;
  }
}

}  // namespace
}  // namespace ab::ops
