// SPDX-License-Identifier: MIT
// The class of the thread, and the report of the last product.
#include <cstring>
#include <thread>

#include "core/types.hpp"
#include "handles.hpp"

namespace ab::test {
namespace {

TEST(PrecisionClass, SetAndGetPerThread) {
  const ABPrecision start = ab_get_precision();
  EXPECT_EQ(start, AB_PRECISION_FP64);
  for (ABPrecision precision : {AB_PRECISION_DD, AB_PRECISION_FAST, AB_PRECISION_FP64, AB_PRECISION_STRICT}) {
    ASSERT_EQ(ab_set_precision(precision), AB_OK) << ab_last_error();
    EXPECT_EQ(ab_get_precision(), precision);
    std::thread([&] { EXPECT_EQ(ab_get_precision(), start); }).join();
  }
  ASSERT_EQ(ab_set_precision(AB_PRECISION_DEFAULT), AB_OK);
  EXPECT_EQ(ab_get_precision(), start);
}

TEST(PrecisionClass, RefusesUnknownValuesAndKeepsTheChoice) {
  ASSERT_EQ(ab_set_precision(AB_PRECISION_STRICT), AB_OK);
  for (int value : {-1, 6, 1000}) {
    EXPECT_EQ(ab_set_precision(static_cast<ABPrecision>(value)), AB_ERROR_INVALID_ARG);
    EXPECT_EQ(ab_last_error(), "ab_set_precision: precision is " + std::to_string(value) + ", expected 0 (default) to 5 (exact)");
    EXPECT_EQ(ab_get_precision(), AB_PRECISION_STRICT);
  }
  ASSERT_EQ(ab_set_precision(AB_PRECISION_DEFAULT), AB_OK);
}

TEST(PrecisionClass, AnUnavailableClassIsRefusedByName) {
  if (is_available(Precision::Exact)) GTEST_SKIP() << "class exact is available";
  EXPECT_EQ(ab_set_precision(AB_PRECISION_EXACT), AB_ERROR_INVALID_ARG);
  EXPECT_STREQ(ab_last_error(), "ab_set_precision: precision is 5 (exact): this version does not compute that class yet");
  EXPECT_EQ(ab_get_precision(), AB_PRECISION_FP64);
}

void expect_no_product() {  // in a thread that has made none
  ABProduct product;
  std::memset(&product, 0x5A, sizeof product);
  product.struct_size = sizeof product;
  ASSERT_EQ(ab_set_precision(AB_PRECISION_FAST), AB_OK);
  ASSERT_EQ(ab_last_product(&product), AB_OK);
  EXPECT_EQ(product.precision, AB_PRECISION_FAST);
  EXPECT_EQ(product.scheme, AB_SCHEME_NONE);
  EXPECT_EQ(product.engine, AB_ENGINE_NONE);
  EXPECT_EQ(product.device, -1);
  EXPECT_EQ(product.guard, -1);
  EXPECT_EQ(product.bound, -1.0);
  EXPECT_STREQ(product.route_reason, "");
  EXPECT_STREQ(product.fallback_reason, "");
}

TEST(LastProduct, BeforeAnyProduct) {
  std::thread(expect_no_product).join();
}

TEST(LastProduct, RefusesBadStructs) {
  EXPECT_EQ(ab_last_product(nullptr), AB_ERROR_INVALID_ARG);
  EXPECT_STREQ(ab_last_error(), "ab_last_product: product is NULL, expected an ABProduct");
  ABProduct product, before;
  std::memset(&product, 0x5A, sizeof product);
  product.struct_size = sizeof product - 1;
  before = product;
  EXPECT_EQ(ab_last_product(&product), AB_ERROR_INVALID_ARG);
  EXPECT_EQ(std::memcmp(&product, &before, sizeof product), 0);
}

using LastProductOfHandles = Initialized;

TEST_F(LastProductOfHandles, DescribesTheProductOfThisThread) {
  const Matrix a(2, 2, {1, 2, 3, 4}), c(2, 2);
  ASSERT_EQ(ab_dgemm(a, a, c), AB_OK) << ab_last_error();
  ABProduct product = {};
  product.struct_size = sizeof product;
  ASSERT_EQ(ab_last_product(&product), AB_OK);
  EXPECT_EQ(product.precision, AB_PRECISION_FP64);
  EXPECT_GE(product.scheme, AB_SCHEME_CRT_INT8);
  EXPECT_LE(product.scheme, AB_SCHEME_CRT_11BIT);
  EXPECT_EQ(product.engine, AB_ENGINE_DEVICE);
  EXPECT_EQ(product.device, ab_current_device());
  EXPECT_EQ(product.complex_form, 0);
  EXPECT_STREQ(product.route_reason, "resident");
  std::thread([] {
    ABProduct other = {};
    other.struct_size = sizeof other;
    EXPECT_EQ(ab_last_product(&other), AB_OK);
    EXPECT_EQ(other.scheme, AB_SCHEME_NONE);
  }).join();
}

}  // namespace
}  // namespace ab::test
